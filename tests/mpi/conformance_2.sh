#!/bin/sh
# Every technology that delivers, two ranks that spin.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 2 "${builddir:?}/tests/mpi/conformance" spin
