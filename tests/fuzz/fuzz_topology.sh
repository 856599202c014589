#!/bin/sh
# Topology files, and variations of them, give a network whose routes exist, or are refused with a reason.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_topology" -runs=50000 -seed=1 "$srcdir"/tests/fuzz/corpus/topology/*
