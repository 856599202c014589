#!/bin/sh
# The parsers of arrival processes and of bunch structures hold their contracts for the corpus and for
# variations of it.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_arrivals" -runs=20000 -seed=1 "$srcdir"/tests/fuzz/corpus/arrivals/*
