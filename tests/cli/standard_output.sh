#!/bin/sh
# Standard output: one that is closed or full is an error, and what libraries print does not get into results.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

printf '%%cct 1 ranks 2 unit us\n0:\nc 5\ns 1 4096\n1:\nr 0 4096\n' >small.cct
printf '0,100\n200,0\n' >small.csv
printf '64 1.0\n128 1.1\n256 1.3\n512 1.7\n1024 2.5\n2048 4.1\n' >small.txt
# words COMMAND...: it prints something; to a closed or full standard output it fails
words() {
    for output in '>&-' '>/dev/full'; do
        case_is "$* $output"
        status=0
        sh -c "exec \"\$@\" $output" sh "$@" 2>err || status=$?
        expect_status 1
        expect_one_error "cannot write" "to standard output"
        [ "$output" = '>/dev/full' ] || expect_error "closed" "redirect it to a file"
    done
}

for option in --help --version --manual; do
    words "$builddir/cb_oneway" "$option"
    words "$builddir/ccmod" "$option"
    words "$builddir/combench-testbed" "$option"
done
words "$builddir/cb_oneway" --describe
words "$builddir/cb_oneway" --technology list
words "$builddir/cb_oneway" --mode stream --sizes 64 --emit-trace -
words "$builddir/ccmod" run small.cct
words "$builddir/ccmod" run --format json small.cct
words "$builddir/ccmod" info small.cct
words "$builddir/ccmod" signals small.cct
words "$builddir/ccmod" timeline small.cct
words "$builddir/ccmod" calibrate small.txt
words "$builddir/ccmod" generate uniform --ranks 4
words "$builddir/ccmod" convert --from matrix small.csv
if [ -x "$builddir/sisci-shm-clean" ]; then
    words "$builddir/sisci-shm-clean" --help
    words "$builddir/sisci-shm-clean" --version
fi

for output in '>&-' '>/dev/full'; do
    for format in text csv json; do
        case_is "a measurement, --format $format $output"
        run 2 sh -c "exec \"\$@\" $output" sh "$builddir/cb_oneway" --mode pingpong --sizes 64 --max-time 0.05 \
            --format $format
        expect_status 1
        expect_one_error "cannot write the result to standard output"
    done
done

case_is "what a library prints is not in the result"
cat >noise.c <<'END'
#include <stdio.h>
#include <unistd.h>
int MPI_Init_thread(int *, char ***, int, int *);
int PMPI_Init_thread(int *, char ***, int, int *);
int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given)
{
    puts("a line of a library");
    fflush(stdout);
    (void)!write(1, "another\n", 8);
    return PMPI_Init_thread(argc, argv, wanted, given);
}
END
"${CC:-cc}" -shared -fPIC -o noise.so noise.c 2>/dev/null || skip "there is no compiler"
for format in json csv; do
    run 2 env LD_PRELOAD="$work/noise.so" "$builddir/cb_oneway" --mode pingpong --sizes 64 --max-time 0.05 \
        --format $format
    expect_status 0
    expect_error "a line of a library" another
    expect_equal "lines of libraries in the result:" 0 "$(grep -c -e library -e another out || true)"
done
if "$builddir/cb_oneway" --technology list 2>/dev/null | grep -q "^ucx .*transports"; then
    case_is "UCX's log is not in the result"
    run 2 env UCX_LOG_LEVEL=info "$builddir/cb_oneway" --technology ucx --mode pingpong --sizes 64 --max-time 0.05 \
        --format json
    expect_status 0
    expect_equal "technology:" ucx "$(document out "d['technology']")"
    expect_error UCX
fi
finish
