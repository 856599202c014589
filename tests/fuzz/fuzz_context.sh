#!/bin/sh
# The reader of configuration files holds its contracts for the corpus and for variations of it.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_context" -runs=20000 -seed=1 "$srcdir"/tests/fuzz/corpus/context/*
