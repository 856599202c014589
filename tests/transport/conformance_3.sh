#!/bin/sh
# Every technology that delivers, three ranks that sleep while they wait.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 3 "${builddir:?}/tests/transport/conformance" block
