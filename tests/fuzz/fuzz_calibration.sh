#!/bin/sh
# Calibration files and columns of measurements, and variations of them, are read, or refused with a reason.
set -eu
: "${srcdir:?}" "${builddir:?}"
exec "$builddir/tests/fuzz/fuzz_calibration" -runs=50000 -seed=1 "$srcdir"/tests/fuzz/corpus/calibration/*
