#!/bin/sh
# The technology sci over a wire that loses, tears and reorders lines, two ranks that yield: a short
# form, without many and large messages. docs/development/performance.md has the long one.
set -eu

export SISCI_SHM_FAULTS=seed=3,drop=0.02,tear=0.02,pending=0.2,cut=0.1,reorder=1 CK_EXCLUDE_TAGS=sizes
exec "${srcdir:?}/tests/common/launch.sh" 2 "${builddir:?}/tests/transport/conformance" yield sci 512 1
