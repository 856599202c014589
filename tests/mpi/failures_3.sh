#!/bin/sh
# Errors of MPI under the technology mpi, three ranks.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 3 "${builddir:?}/tests/mpi/test_failures"
