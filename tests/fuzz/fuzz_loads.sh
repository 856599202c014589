#!/bin/sh
# The parsers of topologies and loads hold their contracts for the corpus and for variations of it.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_loads" -runs=200000 -seed=1 "$srcdir"/tests/fuzz/corpus/loads/*
