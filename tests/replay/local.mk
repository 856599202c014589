# Tests of src/replay.
TESTS += %D%/replay.sh
EXTRA_DIST += %D%/replay.sh %D%/kinds.cct
