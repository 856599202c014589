#!/bin/sh
# The parsers of options, sizes and lists hold their contracts for the corpus and for variations of it.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_options" -runs=200000 -seed=1 "$srcdir"/tests/fuzz/corpus/options/*
