#!/bin/sh
# A comparison of clocks that fails, five ranks.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 5 "${builddir:?}/tests/control/test_synchronise"
