#!/bin/sh
# validate.py and validate_trace.py find what they are to find.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
"$CB_PYTHON" "$srcdir/tests/cli/test_validate.py"
"$CB_PYTHON" "$srcdir/tests/cli/test_validate_trace.py"
