#!/bin/sh
# A technology in which several threads send, three ranks that yield.
set -eu

exec "${srcdir:?}/tests/mpi/launch.sh" 3 "${builddir:?}/tests/mpi/conformance_threaded" yield
