#!/bin/sh
# A comparison of clocks that fails, two ranks.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 2 "${builddir:?}/tests/control/test_synchronise"
