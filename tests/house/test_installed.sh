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

# Wherever configure was told to install, make is told another prefix.
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
done
for file in lib/pkgconfig/ccmod.pc lib/pkgconfig/sisci-shm.pc lib/combench/libcombench-trace.so \
    share/bash-completion/completions/combench; do
    [ -s "$prefix/$file" ] || failed "$file is not there"
done
grep -q "^prepend-path PATH $prefix/bin\$" "$prefix"/share/modulefiles/combench/* ||
    failed "the module file does not name $prefix/bin"
if grep '@[A-Za-z_]*@' "$prefix"/share/modulefiles/combench/* >&2; then
    failed "the module file has words that were not replaced"
fi

# builds TEXT: a program with this text after the installed headers' names, as ccmod.pc has it compiled and linked.
pkg_config=${PKG_CONFIG:-pkg-config}
ask_pc() {
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig "$pkg_config" --define-variable=includedir="$prefix/include" \
        --define-variable=libdir="$prefix/lib" "$@" ccmod
}
builds() {
    printf '%s\n' "$1" >"$folder/own.c"
    # shellcheck disable=SC2046,SC2086 # flags are several words
    $CC $SANITIZER_CFLAGS $(ask_pc --cflags) -o "$folder/own" "$folder/own.c" $(ask_pc --libs) >"$folder/log" 2>&1 || {
        failed "a program of one's own, with ccmod.pc: $(cat "$folder/log")"
        return 1
    }
}
if command -v "$pkg_config" >/dev/null; then
    for header in "$prefix"/include/combench/ccmod*.h; do
        builds "#include <$(basename "$header")>
int main(void) { return 0; }" || true
    done
    # The quiet time of docs/model.md.
    builds '#include <ccmod.h>
int main(void)
{
    static const char text[] = "%cct 1 ranks 2 unit us\n0: s 1 1000\n1: r 0 1000\n";
    ccmod_calibration calibration = ccmod_calibration_line(10.9, 18, 50);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_trace *trace = NULL;
    ccmod_workload *workload = NULL;
    ccmod_network *network = NULL;
    ccmod_result *result = NULL;
    ccmod_error error = {CB_OK, 0, ""};

    if (ccmod_trace_parse("own", text, sizeof(text) - 1, &trace, &error) == CB_OK &&
        ccmod_trace_workload(trace, parameters.seed, &workload, &error) == CB_OK &&
        ccmod_network_open("crossbar", ccmod_trace_ranks(trace), &network, &error) == CB_OK &&
        ccmod_evaluate(workload, network, &calibration, &parameters, NULL, 0, &result, &error) == CB_OK)
        printf("%.9g us", result->end_us);
    fprintf(stderr, "%s", error.text);
    ccmod_result_free(result);
    ccmod_network_free(network);
    ccmod_workload_free(workload);
    ccmod_trace_close(trace);
    return 0;
}' && {
        said=$("$folder/own" 2>&1) || failed "a program of one's own ended with $?"
        [ "$said" = "48.9 us" ] || failed "a message of 1000 bytes takes 48.9 us, and not '$said'"
    }
fi

# From another folder, with nothing of the build in the environment.
cd "$folder"
[ -n "$MPIRUN" ] || exit "$status"
env -u CB_BUILD -u PYTHONPATH "$prefix/bin/combench" run quick --dry-run --mpirun "$MPIRUN" >commands 2>said || {
    failed "combench run quick --dry-run: $(cat said)"
    exit 1
}
grep -q " $prefix/bin/cb_oneway " commands || failed "the commands are of other programs: $(cat commands)"
"$prefix/bin/cb_oneway" --help >help || failed "cb_oneway --help does not run"
exit "$status"
