#!/bin/sh
# Every technology that delivers, five ranks that yield.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 5 "${builddir:?}/tests/transport/conformance" yield
