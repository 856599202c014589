#!/bin/sh
# Errors of MPI under the technology mpi, three ranks.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 3 "${builddir:?}/tests/transport/mpi/test_failures"
