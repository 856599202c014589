#!/bin/sh
# The parsers of ccmod's option values hold their contracts for the corpus and for variations of it.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_values" -runs=200000 -seed=1 "$srcdir"/tests/fuzz/corpus/values/*
