# CB_FIND_PYTHON: an interpreter with jsonschema, for the tests of the result format, preferably one that also has
# the modules of the driver, for its tests. The system's python3 is tried as well, since the first one in PATH may
# lack the modules. Its own path is kept: the name may lead to another interpreter when the tests run, or to a script
# that chooses one and takes longer than many a test.
AC_DEFUN([CB_FIND_PYTHON], [
  AC_ARG_VAR([CB_PYTHON], [python3 with the module jsonschema, for tests])
  AC_MSG_CHECKING([for a python3 with jsonschema])
  cb_candidates=${CB_PYTHON:-python3 /usr/bin/python3}
  CB_PYTHON=
  for cb_modules in "jsonschema, fastjsonschema, scipy, matplotlib, jinja2" jsonschema; do
    for cb_candidate in $cb_candidates; do
      AS_IF([test -z "$CB_PYTHON" && $cb_candidate -c "import $cb_modules" 2>/dev/null], [CB_PYTHON=`$cb_candidate -c "import sys; print(sys.executable)"`])
    done
  done
  AC_MSG_RESULT([${CB_PYTHON:-none}])
])
