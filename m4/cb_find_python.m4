# CB_FIND_PYTHON: an interpreter that has jsonschema, for the tests of the result format; the system's own is
# tried as well, since another one may come first in PATH without the module.
AC_DEFUN([CB_FIND_PYTHON], [
  AC_ARG_VAR([CB_PYTHON], [python3 with the module jsonschema, for tests])
  AC_MSG_CHECKING([for a python3 with jsonschema])
  for cb_candidate in $CB_PYTHON python3 /usr/bin/python3; do
    AS_IF([$cb_candidate -c 'import jsonschema' 2>/dev/null], [CB_PYTHON=$cb_candidate; break], [CB_PYTHON=])
  done
  AC_MSG_RESULT([${CB_PYTHON:-none}])
])
