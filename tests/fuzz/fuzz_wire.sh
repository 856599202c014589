#!/bin/sh
# The wire formats of tcp and udp hold their contracts for the corpus and for variations of it.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_wire" -runs=100000 -seed=1 "$srcdir"/tests/fuzz/corpus/wire/*
