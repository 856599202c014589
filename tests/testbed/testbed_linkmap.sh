#!/bin/sh
# A map of eight hosts of the testbed of which one is slow, one loses packets and one is down for 0.7 seconds in
# every two: these are named, and no other. A host that is cut off during the map is marked as lost.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
[ -n "$MPIRUN" ] || skip "no launcher for MPI programs was found"
[ "$MPI_KIND" = openmpi ] || skip "MPICH 4.0 over UCX's TCP may hang in MPI_Finalize"
enter_folder
limit_s=300

run 0 "$builddir/combench-testbed" --hosts 1 -- true
[ "$status" -ne 77 ] || skip "$(cat err)"

# The faults begin after the first cycle of the map: the start needs all hosts, however long it takes.
cat >faulty.sh <<'END'
set -eu
"$@" &
until grep -qs "first cycle of the map" err; do sleep 0.1; done
while read -r order; do "$CB_TESTBED" --tell "$order"; done <orders
launcher=$!
if grep -q "^cut" orders; then
    until grep -qs "error: " err || ! kill -0 "$launcher"; do sleep 0.1; done
    sed -n 's/^cut/join/p' orders | while read -r order; do "$CB_TESTBED" --tell "$order"; done
fi
wait "$launcher"
END

# mapped OPTION...: a map of eight hosts with the orders of standard input
mapped() {
    cat >orders
    rm -f result.json
    run 0 "$builddir/combench-testbed" --hosts 8 --rate 20mbit --delay 50us -- sh faulty.sh "$MPIRUN" -q -np 8 \
        "$builddir/cb_linkmap" --technology tcp --mode pairs --sizes 1024 --packets 4 --output result.json "$@"
}

# All hosts share the cores, so other work on the machine may delay one of them as a faulty link would; then once more.
case_is "a slow, a lossy and a flapping host"
named="sorted((f['host'], f['kind']) for f in d['results'][0]['link_faults'])"
expected="[('host02', 'lossy'), ('host03', 'slow'), ('host05', 'flapping')]"
for _ in 1 2; do
    mapped --max-time 20 --cycles 24 --timeout 30 --parameter silence_s=100 <<'END'
rate host03 2mbit
loss host02 5%
flap host05 2s 0.7s
END
    [ "$(document result.json "$named")" != "$expected" ] || break
done
expect_status 0
expect_valid result.json
expect_document result.json "$named" "$expected"
expect_error "host03 is slow" "host02 loses packets" "host05 is down from time to time"

# It is joined again when the map has ended: the launcher would miss it two minutes later.
case_is "a host that is cut off"
mapped --max-time 12 --timeout 1 --parameter silence_s=100 <<'END'
cut host07
END
expect_status 1
expect_valid result.json
expect_document result.json "[f['host'] for f in d['results'][0]['link_faults'] if f['kind'] == 'lost' and 'peer' not in f]" \
    "['host07']"
expect_error "host07 was lost" "hosts or links were lost during the map"

finish
