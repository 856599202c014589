#!/bin/sh
# A campaign of libFuzzer against one of the model's readers, or against what a network may bring, with
# the address and undefined behaviour sanitizers: calibration, convert, network, topology, trace, values or wire. What it finds goes to a folder of its
# own, never to the tree's corpus.
#
#     builddir=BUILD sh tests/fuzz/campaign.sh TARGET SECONDS [FOLDER]
set -eu
: "${builddir:?}"
[ $# -ge 2 ] || {
    echo "usage: builddir=BUILD sh tests/fuzz/campaign.sh TARGET SECONDS [FOLDER]" >&2
    exit 2
}
target=$1
seconds=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
builddir=$(cd "$builddir" && pwd)
folder=${3:-$(mktemp -d)}
mkdir -p "$folder/corpus"

cd "$top"
# shellcheck disable=SC2046 # the names of sources have no blanks
clang -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=all -include "$builddir/config.h" -I"$builddir" -Isrc -Isrc/model/include -I. \
    -o "$folder/fuzz_$target" "tests/fuzz/fuzz_$target.c" tools/ccmod/measurements_columns.c \
    tools/ccmod/values.c \
    $(ls src/model/*/*.c tools/ccmod/convert_*.c src/transport/*/wire.c src/transport/socket/*.c) \
    src/transport/udp/order.c src/rate/arrivals.c src/rate/train.c src/base/input.c src/base/log.c src/base/memory.c src/base/random.c src/base/status.c \
    src/base/units.c src/report/escape.c src/report/events.c src/report/svg.c src/stats/fit.c src/stats/student.c -lm
cd "$folder"
echo "findings go to $folder"
exec nice -n 19 "./fuzz_$target" -max_total_time="$seconds" -timeout=600 -rss_limit_mb=2048 \
    -max_len=2048 -use_value_profile=1 -print_final_stats=1 corpus "$top/tests/fuzz/corpus/$target"
