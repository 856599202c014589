#!/bin/sh
# Every technology that delivers, three ranks that sleep while they wait.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 3 "${builddir:?}/tests/mpi/conformance" block
