#!/bin/sh
# A comparison of clocks that fails, five ranks.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 5 "${builddir:?}/tests/mpi/test_synchronise"
