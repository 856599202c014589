#!/bin/sh
# The control plane with five ranks.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 5 "${builddir:?}/tests/control/test_control"
