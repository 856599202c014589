#!/bin/sh
# The control plane with five ranks.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 5 "${builddir:?}/tests/mpi/test_control"
