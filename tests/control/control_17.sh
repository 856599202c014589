#!/bin/sh
# The control plane with seventeen ranks.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 17 "${builddir:?}/tests/control/test_control"
