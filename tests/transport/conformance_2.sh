#!/bin/sh
# Every technology that delivers, two ranks that spin.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 2 "${builddir:?}/tests/transport/conformance" spin
