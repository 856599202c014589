#!/bin/sh
# The parsers of options, sizes and lists hold their contracts for the corpus and for variations of it.
set -eu
: "${srcdir:?}" "${builddir:?}"
runs=50000
[ -z "${CB_CHECK_FULL:-}" ] || runs=200000
exec "$builddir/tests/fuzz/fuzz_options" -runs=$runs -seed=1 "$srcdir"/tests/fuzz/corpus/options/*
