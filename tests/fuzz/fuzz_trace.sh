#!/bin/sh
# Traces, and variations of them, are read and evaluated, or refused with a reason.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_trace" -runs=50000 -seed=1 "$srcdir"/tests/fuzz/corpus/trace/*
