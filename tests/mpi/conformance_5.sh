#!/bin/sh
# Every technology that delivers, five ranks that yield.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 5 "${builddir:?}/tests/mpi/conformance" yield
