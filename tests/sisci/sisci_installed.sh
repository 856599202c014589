#!/bin/sh
# What is installed is enough to build a program: header, library, and the flags that pkg-config gives.
set -eu
: "${srcdir:?}" "${builddir:?}"

# shellcheck source=/dev/null
. "$builddir/tests/environment.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
SISCI_SHM_JOB=installed-$$
export SISCI_SHM_JOB

fail() {
    echo "sisci_installed: $*" >&2
    exit 1
}

flags() {
    PKG_CONFIG_PATH=$folder/lib/pkgconfig pkg-config --define-variable=prefix="$folder" "$@" sisci-shm
}

command -v pkg-config >/dev/null || {
    echo "sisci_installed: there is no pkg-config" >&2
    exit 77
}
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "${MAKE:-make}" -s -C "$builddir" prefix="$folder" \
    exec_prefix="$folder" libdir="$folder/lib" includedir="$folder/include" \
    install-libLIBRARIES install-dist_sisci_shmincludeHEADERS install-pkgconfigDATA >"$folder/log" 2>&1 ||
    fail "make install: $(cat "$folder/log")"

# The installation's own folders, wherever configure was told to install.
sed -i "s#^libdir=.*#libdir=$folder/lib#; s#^includedir=.*#includedir=$folder/include#" \
    "$folder/lib/pkgconfig/sisci-shm.pc"
case $(flags --cflags) in
*-D_REENTRANT*) ;;
*) fail "pkg-config --cflags lacks -D_REENTRANT" ;;
esac
# shellcheck disable=SC2046,SC2086 # flags are split on purpose
$CC $SANITIZER_CFLAGS -std=gnu11 -Wall -Werror -o "$folder/use" "$srcdir/tests/sisci/use_sisci.c" \
    $(flags --cflags --libs) || fail "the program does not compile"
[ "$("$folder/use")" = 42 ] || fail "the program does not run"
