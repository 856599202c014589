#!/bin/sh
# ofi, ucx and rma over drivers that refuse and pause at random, two ranks that yield.
set -eu

exec "${srcdir:?}/tests/common/launch.sh" 2 "${builddir:?}/tests/transport/remote/conformance_shaken" yield
