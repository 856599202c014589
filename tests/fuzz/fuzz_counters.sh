#!/bin/sh
# Texts of /proc/net, and variations of them, give counters of a host, or none.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_counters" -runs=20000 -seed=1 "$srcdir"/tests/fuzz/corpus/counters/*
