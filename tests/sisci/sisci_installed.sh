#!/bin/sh
# The installed library is enough to build programs in C and in C++ with the flags that pkg-config gives,
# shared and static, and the shared library exports what its headers declare and nothing else.
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
    PKG_CONFIG_PATH=$folder/lib/pkgconfig pkg-config "$@" sisci-shm
}

command -v pkg-config >/dev/null || {
    echo "sisci_installed: there is no pkg-config" >&2
    exit 77
}
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "${MAKE:-make}" -s -C "$builddir" prefix="$folder" \
    exec_prefix="$folder" libdir="$folder/lib" includedir="$folder/include" \
    install-libLTLIBRARIES install-dist_sisci_shmincludeHEADERS install-pkgconfigDATA >"$folder/log" 2>&1 ||
    fail "make install: $(cat "$folder/log")"

# The file names the folders of configure; make got others.
sed -i "s#^libdir=.*#libdir=$folder/lib#; s#^includedir=.*#includedir=$folder/include#" \
    "$folder/lib/pkgconfig/sisci-shm.pc"
case $(flags --cflags) in
*-D_REENTRANT*) ;;
*) fail "pkg-config --cflags lacks -D_REENTRANT" ;;
esac

# compile OUTPUT ARGUMENTS...: with the compiler and the sanitizers of this build.
compile() {
    output=$1
    shift
    # shellcheck disable=SC2086 # both may hold several words
    $CC $SANITIZER_CFLAGS -Wall -Wextra -Werror -o "$output" "$@" || fail "$output does not compile"
}

# use_it KIND: the program in both languages, linked with what lies in the prefix.
use_it() {
    # shellcheck disable=SC2046 # flags are split on purpose, here and below
    compile "$folder/use_c_$1" -std=gnu11 "$srcdir/tests/sisci/use_sisci.c" $(flags --cflags --libs)
    if echo 'int main() { return 0; }' | $CC -x c++ -fsyntax-only - 2>"$folder/log"; then
        # shellcheck disable=SC2046
        compile "$folder/use_c++_$1" -x c++ "$srcdir/tests/sisci/use_sisci.c" -x none $(flags --cflags --libs)
    else
        echo "sisci_installed: $CC compiles no C++; only C was tried" >&2
    fi
    for program in "$folder"/use_*_"$1"; do
        [ "$(LD_LIBRARY_PATH=$folder/lib "$program")" = 42 ] || fail "$program does not run"
    done
}

# The version in the header is that of the package.
cat >"$folder/version.c" <<'EOF'
#include <sisci_api.h>
version SISCI_SHM_VERSION_MAJOR.SISCI_SHM_VERSION_MINOR.SISCI_SHM_VERSION_PATCH
EOF
# shellcheck disable=SC2046
version=$($CC -E -P $(flags --cflags) "$folder/version.c" | sed -n 's/^version //p' | tr -d ' ')
[ "$version" = "$(flags --modversion)" ] ||
    fail "the header's version is $version, and that of pkg-config $(flags --modversion)"

# Which of the two there must be follows from how the build was configured.
configured() {
    grep -q "^$1=yes" "$builddir/libtool"
}

if configured build_libtool_libs; then
    [ -e "$folder/lib/libsisci-shm.so" ] || fail "there is no shared library"
    use_it shared
    LC_ALL=C readelf -d "$folder/use_c_shared" | grep -q 'NEEDED.*libsisci-shm\.so\.0' ||
        fail "the program does not need libsisci-shm.so.0"
    # Sanitizers add names of their own.
    if [ -z "$SANITIZER_CFLAGS" ]; then
        for macro in -D_REENTRANT -U_REENTRANT; do
            $CC -E -P $macro "$folder/include/sisci-shm/sisci_api.h" | grep -o 'sisci_shm_[A-Za-z0-9_]*'
        done | sort -u >"$folder/declared"
        nm -D --defined-only "$folder/lib/libsisci-shm.so" | sed 's/.* //; s/@.*//' | sort -u >"$folder/exported"
        [ -s "$folder/declared" ] || fail "the headers declare nothing"
        diff "$folder/declared" "$folder/exported" >"$folder/log" ||
            fail "declared (<) and exported (>) names differ: $(cat "$folder/log")"
    fi
    rm "$folder"/lib/libsisci-shm.so*
fi
configured build_old_libs || exit 0
[ -e "$folder/lib/libsisci-shm.a" ] || fail "there is no static library"
use_it static
