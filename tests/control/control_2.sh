#!/bin/sh
# The control plane with two ranks.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 2 "${builddir:?}/tests/control/test_control"
