#!/bin/sh
# The control plane with two ranks.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 2 "${builddir:?}/tests/mpi/test_control"
