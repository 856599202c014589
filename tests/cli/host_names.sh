#!/bin/sh
# Machines with one name, as clones have: they are hosts of their own by their boot ids.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# As rank N of a machine whose name is `clone`, with a boot id of its own: clone.sh PROGRAM [OPTION]...
cat >clone.sh <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
exec unshare -u -m sh -c 'hostname clone && echo "0000-$0" >"boot.$0" &&
    mount --bind "boot.$0" /proc/sys/kernel/random/boot_id && exec "$@"' "$rank" "$@"
END
chmod +x clone.sh
PMI_RANK=x ./clone.sh true 2>/dev/null || skip "this user may not bind a file in a namespace of its own"

case_is "three machines are three hosts"
run 3 ./clone.sh "$builddir/cb_alltoall" --max-time 0.05 --sizes 64 --output result.json
expect_status 0
expect_equal "names:" "['clone', 'clone', 'clone']" \
    "$(document result.json "[host['name'] for host in d['environment']['hosts']]")"
expect_equal "hosts of the ranks:" "[0, 1, 2]" \
    "$(document result.json "[rank['host'] for rank in d['environment']['ranks']]")"

case_is "two ranks of one machine share a host"
sed 's/^rank=.*/rank=0/' clone.sh >one.sh
chmod +x one.sh
run 2 ./one.sh "$builddir/cb_oneway" --max-time 0.05 --sizes 64 --output result.json
expect_status 0
expect_equal "hosts:" 1 "$(document result.json "len(d['environment']['hosts'])")"

case_is "a map of machines with one name names their ranks"
run 3 ./clone.sh "$builddir/cb_linkmap" --max-time 0.1 --cycles 3 --output result.json
expect_status 0
expect_equal "names:" "['clone rank 0', 'clone rank 1', 'clone rank 2']" \
    "$(document result.json "[host['name'] for host in d['results'][0]['linkmap']['hosts']]")"

case_is "sci over shared memory does not connect them"
if "$builddir/cb_oneway" --help | grep -q "sci"; then
    run_refused 2 ./clone.sh "$builddir/cb_oneway" --technology sci --max-time 0.05 --sizes 64
    expect_failure
    expect_error "cannot use sci between the hosts clone (rank 0) and clone (rank 1)"
fi

case_is "tcp does not take the loopback interface for them"
run_refused 2 ./clone.sh "$builddir/cb_oneway" --technology tcp --max-time 0.05 --sizes 64 --output result.json
case $status in
0) expect_equal "on lo:" False \
    "$(document result.json "any(r['network'].startswith('lo ') for r in d['environment']['ranks'])")" ;;
*) expect_error "interface" ;;
esac
finish
