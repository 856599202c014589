#!/bin/sh
# The technology rma and its library, two ranks.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 2 "${builddir:?}/tests/transport/rma/test_rma"
