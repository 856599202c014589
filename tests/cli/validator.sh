#!/bin/sh
# validate.py finds what it is to find.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
exec "$CB_PYTHON" "$srcdir/tests/cli/test_validate.py"
