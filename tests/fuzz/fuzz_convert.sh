#!/bin/sh
# Schedules and traces of other simulators, and variations of them, are converted, or refused with a reason.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_convert" -runs=50000 -seed=1 "$srcdir"/tests/fuzz/corpus/convert/*
