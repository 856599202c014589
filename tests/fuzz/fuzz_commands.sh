#!/bin/sh
# The parser of the commands of victims and aggressors holds its contract for the corpus and for variations of it.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_commands" -runs=20000 -seed=1 "$srcdir"/tests/fuzz/corpus/commands/*
