#!/bin/sh
# What make install installs is complete and works from where it lies: the driver with its modules and
# plans, the programs with their manual pages, jobs for Slurm, schemas, completion, the module file.
set -eu
: "${srcdir:?}" "${builddir:?}"

srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=/dev/null
. "$builddir/tests/environment.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
status=0

failed() {
    echo "test_installed: $*" >&2
    status=1
}

# make gets another prefix than configure.
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "${MAKE:-make}" -s -C "$builddir" install prefix="$prefix" \
    exec_prefix="$prefix" bindir="$prefix/bin" libdir="$prefix/lib" includedir="$prefix/include" \
    datadir="$prefix/share" datarootdir="$prefix/share" mandir="$prefix/share/man" \
    docdir="$prefix/share/doc/combench" >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}

# every FOLDER PATTERN INSTALLED: each file of a folder of the source lies in the prefix as well.
every() {
    (cd "$srcdir/$1" && find . -name "$2" -type f) >"$folder/wanted"
    [ -s "$folder/wanted" ] || failed "there is no $2 in $1"
    while read -r file; do
        [ -s "$prefix/$3/$file" ] || failed "$1/$file is not in $3"
    done <"$folder/wanted"
}

every python/combench '*.py' share/combench/python/combench
every python/combench/suite/plans '*.plan' share/combench/python/combench/suite/plans
every scripts/slurm '*.sbatch' share/combench/slurm
every docs '*.schema.json' share/combench/schemas

for program in "$prefix"/bin/*; do
    name=$(basename "$program")
    [ -s "$prefix/share/man/man1/$name.1" ] || failed "$name has no manual page"
    [ -s "$prefix/share/bash-completion/completions/$name" ] || failed "$name has no completion"
done
for file in share/combench/benchmarks.json lib/libccmod.a lib/libccmod.so lib/libsisci-shm.a lib/libsisci-shm.so lib/pkgconfig/ccmod.pc lib/pkgconfig/sisci-shm.pc lib/combench/libcombench-trace.so \
    share/bash-completion/completions/combench; do
    [ -s "$prefix/$file" ] || failed "$file is not there"
done
grep -q "^prepend-path PATH $prefix/bin\$" "$prefix"/share/modulefiles/combench/* ||
    failed "the module file does not name $prefix/bin"
if grep '@[A-Za-z_]*@' "$prefix"/share/modulefiles/combench/* >&2; then
    failed "the module file has words that were not replaced"
fi

# From another folder, with nothing of the build in the environment.
cd "$folder"
if [ -n "$CB_PYTHON" ] && "$CB_PYTHON" -c 'import fastjsonschema, jinja2, matplotlib' 2>/dev/null; then
    # By the python3 that configure has found the modules for, whatever comes first in PATH.
    env -u CB_BUILD -u PYTHONPATH PYTHONDONTWRITEBYTECODE=1 "$prefix/bin/combench" report "$srcdir/tests/suite/released" \
        --output report.html --pictures svg >said 2>&1 || failed "combench report: $(cat said)"
fi
[ -n "$MPIRUN" ] || exit "$status"
env -u CB_BUILD -u PYTHONPATH "$prefix/bin/combench" run quick --dry-run --mpirun "$MPIRUN" >commands 2>said || {
    failed "combench run quick --dry-run: $(cat said)"
    exit 1
}
grep -q " $prefix/bin/cb_oneway " commands || failed "the commands are of other programs: $(cat commands)"
"$prefix/bin/cb_oneway" --help >help || failed "cb_oneway --help does not run"
exit "$status"
