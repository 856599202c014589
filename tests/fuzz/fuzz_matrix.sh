#!/bin/sh
# Matrices of bytes between ranks, and variations of them, are read, or refused with a reason.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_matrix" -runs=50000 -seed=1 "$srcdir"/tests/fuzz/corpus/matrix/*
