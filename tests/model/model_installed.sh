#!/bin/sh
# What is installed of libccmod is enough for programs in C and C++, over the shared library and the
# archive, with the flags that pkg-config gives; and it exports just the names that its headers declare.
set -eu
: "${srcdir:?}" "${builddir:?}"

# shellcheck source=/dev/null
. "$builddir/tests/environment.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/root
status=0

failed() {
    echo "model_installed: $*" >&2
    status=1
}

command -v pkg-config >/dev/null || {
    echo "model_installed: pkg-config is missing" >&2
    exit 77
}
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "${MAKE:-make}" -s -C "$builddir" DESTDIR="$root" prefix=/opt/own \
    exec_prefix=/opt/own libdir=/opt/own/lib includedir=/opt/own/include \
    install-libLTLIBRARIES install-ccmodincludeHEADERS install-pkgconfigDATA >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}
lib=$root/opt/own/lib
include=$root/opt/own/include
# The archive alone, for programs that are to have no shared library.
mkdir "$folder/archive"
cp "$lib/libccmod.a" "$folder/archive"

# flags LIBDIR OPTION...: what pkg-config says of the installation
flags() {
    libdir=$1
    shift
    PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --define-variable=includedir="$include" \
        --define-variable=libdir="$libdir" "$@" ccmod
}

case $CC in
*clang*) cxx=${CXX:-clang++} ;;
*) cxx=${CXX:-g++} ;;
esac
version=$(flags "$lib" --modversion)
# runs FILE COMPILER LANGUAGE LIBDIR OPTION...: the program of LANGUAGE, over what lies in LIBDIR; *said*
runs() {
    file=$1 compiler=$2 language=$3 libdir=$4
    shift 4
    said=
    command -v "${compiler%% *}" >/dev/null || {
        echo "model_installed: $compiler is missing, $language is not tried"
        return 0
    }
    # shellcheck disable=SC2046,SC2086 # flags are several words
    $compiler $SANITIZER_CFLAGS -Wall -Wextra -Wpedantic -Werror -o "$folder/use" \
        -x "$language" "$srcdir/$file" -x none $(flags "$libdir" --cflags --libs "$@") -lm || {
        failed "a program in $language does not build with ccmod.pc $*"
        return 0
    }
    said=$(LD_LIBRARY_PATH="$libdir" "$folder/use") || failed "$file in $language ended with $?"
}
# times_a_message COMPILER...: as runs
times_a_message() {
    runs tests/model/use_ccmod.c "$@"
    [ "$said" = "$version: 48.9 us, 48.9 us over own" ] || failed "the program says '$said'"
}
times_a_message "$CC -std=c11" c "$folder/archive" --static
times_a_message "$cxx -std=c++11" c++ "$lib"
if [ -n "${CB_CHECK_FULL:-}" ]; then
    times_a_message "$CC -std=c11" c "$lib"
    times_a_message "$cxx -std=c++11" c++ "$folder/archive" --static
fi

# A server that works for 2 us on a request and is busy for 0.1 us with its answer, of 8 clients with 20 us
# between two requests: the queue M/D/1 with a load of 0.84 has a mean wait of 0.84 / (2 - 2 * 0.84) * 2.1 us =
# 5.5 us; with the server's 2.1 us and the network's 1.1 and 1 us that is 9.7 us, here within 5 %.
runs docs/examples/queue.c "$CC -std=gnu11" c "$folder/archive" --static
case $said in
"0.80 busy, "*" us to an answer") ;;
*) failed "docs/examples/queue.c says '$said'" ;;
esac
[ "$(echo "$said" | awk '{ print ($3 > 9.2 && $3 < 10.2) }')" = 1 ] || failed "docs/examples/queue.c says '$said'"

# Each header alone.
for header in "$include"/combench/ccmod/*.h; do
    printf '#include <ccmod/%s>\nint main(void) { return 0; }\n' "$(basename "$header")" >"$folder/own.c"
    # shellcheck disable=SC2046 # flags are several words
    $CC -std=c11 -Wall -Werror -fsyntax-only $(flags "$lib" --cflags) "$folder/own.c" ||
        failed "$(basename "$header") needs another header before it"
done

for header in "$include"/combench/ccmod/*.h; do
    grep -v '^#' "$header" | tr '\n' ' ' | grep -o 'CCMOD_API [^;]*;' | sed 's/CCMOD_API [^([]*[ *]\(ccmod_[a-z_]*\)[([].*/\1/' || true
done | sort >"$folder/declared"
nm -D --defined-only "$lib/libccmod.so" | awk '{ print $3 }' | grep -v '^_' | sort >"$folder/exported"
[ -s "$folder/declared" ] || failed "no header declares a function"
diff "$folder/declared" "$folder/exported" >&2 ||
    failed "< is declared in a header, > is exported by libccmod.so, and not the other"
case $(readlink "$lib/libccmod.so") in
libccmod.so.[0-9]*) ;;
*) failed "libccmod.so leads to no version" ;;
esac
exit "$status"
