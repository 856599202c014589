#!/bin/sh
# Dolphin's library is found where it is, and only there: configure with a mock of its installation, which
# has the same mangled names; one program compiles against its header and ours, and both libraries link
# into one program; the technology sci compiles against its header, links, and runs.
set -eu
: "${srcdir:?}" "${builddir:?}"

# shellcheck source=/dev/null
. "$builddir/tests/environment.sh"
source=$(cd "$srcdir" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
dis=$folder/DIS
SISCI_SHM_JOB=detection-$$
export SISCI_SHM_JOB

fail() {
    echo "sisci_detection: $*" >&2
    exit 1
}

# compile OUTPUT ARGUMENTS...: with the compiler and the sanitizers of this build.
compile() {
    output=$1
    shift
    # shellcheck disable=SC2086 # both may hold several words
    $CC $SANITIZER_CFLAGS -std=gnu11 -Wall -Werror -o "$output" "$@"
}

# configured WITH [OPTION]: run configure as this build was, with that library; its messages go to a file.
configured() (
    rm -rf "$folder/build"
    mkdir "$folder/build"
    cd "$folder/build"
    eval "set -- $("$builddir/config.status" --config) --with-sisci='$1' ${2-}"
    "$source/configure" -q --cache-file="$folder/cache" "$@" >"$folder/messages" 2>&1
)

# expect KIND WITH [OPTION]: what configure chooses, as its log says; it writes no files by --no-create.
expect() {
    configured "$2" "${3-}" || fail "configure --with-sisci=$2 fails: $(cat "$folder/messages")"
    grep -qx "SISCI_KIND='$1'" "$folder/build/config.log" ||
        fail "configure --with-sisci=$2 does not choose $1"
}

refuse() {
    if configured "$1"; then
        fail "configure --with-sisci=$1 accepts what does not link"
    fi
    grep -q -e "--with-sisci=$1" "$folder/messages" ||
        fail "configure --with-sisci=$1 does not say what is wrong: $(cat "$folder/messages")"
}

# The whole technology compiles as configured for Dolphin's, and runs over a library that exports
# those names: the software library, renamed.
build_technology() {
    objects=$(cd "$source" && find src/transport/sci -name '*.c' |
        sed 's|/\([a-z_]*\)\.c$|/libcombench_a-\1.o|')
    # shellcheck disable=SC2086 # one word an object, here and below
    make -s -C "$folder/build" $objects >"$folder/messages" 2>&1 ||
        fail "the technology sci does not compile: $(cat "$folder/messages")"
    nm -g --defined-only "$builddir/libsisci-shm.a" |
        sed -n -e 's/.* \(sisci_shm_mt_\(.*\)\)$/\1 _SISCI_PUBLIC_FUNC_MT_\2/p' \
            -e 's/.* \(sisci_shm_const_\(.*\)\)$/\1 _SISCI_PUBLIC_CONST_\2/p' >"$folder/names"
    objcopy --redefine-syms="$folder/names" "$builddir/libsisci-shm.a" "$folder/libdis.a"
    # shellcheck disable=SC2086
    (cd "$folder/build" && compile "$folder/use_technology" -D_GNU_SOURCE -I"$source" -I"$source/src" \
        "$source/tests/sisci/use_technology.c" "$source/tests/transport/sci/pair.c" $objects \
        "$builddir/libcombench.a" "$folder/libdis.a" $SISCI_SHM_LIBS -lm)
    [ "$("$folder/use_technology")" = 200 ] || fail "the technology does not run over Dolphin's names"
}

mkdir -p "$dis/include/dis" "$dis/lib64"
cp "$source/tests/sisci/mock_dis/sisci_api.h" "$dis/include/"
cp "$source/tests/sisci/mock_dis/sisci_error.h" "$source/tests/sisci/mock_dis/sisci_types.h" \
    "$dis/include/dis/"
dolphin="-D_REENTRANT -I$dis/include -I$dis/include/dis"
software="-D_REENTRANT -I$source/src/sisci"
# shellcheck disable=SC2086 # flags are split on purpose, here and below
compile "$dis/lib64/libsisci.so" $dolphin -fPIC -shared "$source/tests/sisci/mock_dis/sisci.c"

use=$source/tests/sisci/use_sisci.c
link_dolphin="-L$dis/lib64 -Wl,-rpath,$dis/lib64 -lsisci"
link_software="$builddir/libsisci-shm.a $SISCI_SHM_LIBS"
# shellcheck disable=SC2086
compile "$folder/use_dolphin" $dolphin "$use" $link_dolphin
[ "$("$folder/use_dolphin")" = 42 ] || fail "the program does not run over the mock"
# shellcheck disable=SC2086
compile "$folder/use_software" $software "$use" $link_software
[ "$("$folder/use_software")" = 42 ] || fail "the program does not run over the software library"
# shellcheck disable=SC2086
compile "$folder/use_single" -I"$source/src/sisci" -U_REENTRANT "$use" $link_software
[ "$("$folder/use_single")" = 42 ] || fail "the program does not run without -D_REENTRANT"

# shellcheck disable=SC2086
compile "$folder/dolphin.o" -c $dolphin -Dmain=use_dolphin "$use"
# shellcheck disable=SC2086
compile "$folder/software.o" -c $software -Dmain=use_software "$use"
# shellcheck disable=SC2086
compile "$folder/both" "$source/tests/sisci/both_sisci.c" "$folder/dolphin.o" "$folder/software.o" \
    $link_dolphin $link_software
[ "$("$folder/both" | tr '\n' ' ')" = "42 42 " ] || fail "both libraries do not run in one program"

expect dolphin "$dis"
grep -q "define HAVE_SISCI_DOLPHIN 1" "$folder/build/config.h" || fail "config.h does not say dolphin"
build_technology
mv "$dis/lib64" "$dis/lib"
expect dolphin "$dis" --no-create
mv "$dis/lib/libsisci.so" "$folder/"
refuse "$dis"
refuse "$folder/nothing"
expect software software --no-create
expect none no --no-create
if [ ! -e /opt/DIS ]; then
    expect software auto --no-create
    refuse yes
fi
