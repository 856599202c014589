#!/bin/sh
# Names of networks, and variations of them, give a network whose routes exist, or are refused with a reason.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_network" -runs=20000 -seed=1 "$srcdir"/tests/fuzz/corpus/network/*
