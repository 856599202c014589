#!/bin/sh
# A comparison of clocks that fails, two ranks.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 2 "${builddir:?}/tests/mpi/test_synchronise"
