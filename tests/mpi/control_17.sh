#!/bin/sh
# The control plane with seventeen ranks.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 17 "${builddir:?}/tests/mpi/test_control"
