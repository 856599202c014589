#!/bin/sh
# A technology in which several threads send, three ranks that yield.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 3 "${builddir:?}/tests/transport/conformance_threaded" yield
