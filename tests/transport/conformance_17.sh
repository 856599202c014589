#!/bin/sh
# Every technology that delivers, seventeen ranks that yield.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 17 "${builddir:?}/tests/transport/conformance" yield
