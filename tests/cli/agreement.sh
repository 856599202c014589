#!/bin/sh
# All ranks exit with the same status, even if only one of them can detect the error.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_proc
enter_folder
mkdir statuses

# A rank stores its status in a file and exits with 0; otherwise the launcher would end the others.
cat >note <<'END'
#!/bin/sh
"$@"
echo $? >statuses/$$
END
chmod +x note

# agreed NAME STATUS RANKS PROGRAM OPTIONS...
agreed() {
    case_is "$1"
    wanted=$2
    ranks=$3
    program=$4
    shift 4
    rm -f statuses/*
    # shellcheck disable=SC2046 # a program may be two words
    run "$ranks" ./note $(program_path "$program") --sizes 64 --max-time 0.02 "$@"
    expect_equal "$ranks times the status" "$(yes "$wanted" | head -n "$ranks" | tr '\n' ' ')" \
        "$(cat statuses/* | tr '\n' ' ')"
    expect_all_gone
}

agreed "measured" 0 5 cb_pairs --processors 4
agreed "too few ranks" 2 3 cb_alltoall --processors 8
agreed "an output that only the first rank opens" 2 3 cb_outfarm --output missing/result
agreed "no multicast" 77 3 faulty_multicast --technology unicast --multicast technology
export CB_FAULT=double CB_FAULT_VERIFIED=1
agreed "a fault that only one rank sees" 1 3 faulty_multicast --technology faulty --verify \
    --multicast loop --list fixed

finish
