#!/bin/sh
# Every technology that delivers, seventeen ranks that yield.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 17 "${builddir:?}/tests/mpi/conformance" yield
