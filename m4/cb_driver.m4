# CB_DRIVER: the python3 that the driver needs, 3.9 or later. It makes the driver's manual pages; without it
# they are left out, as the driver would not run.
AC_DEFUN([CB_DRIVER], [
  AC_PATH_PROG([PYTHON3], [python3])
  AS_IF([test -n "$PYTHON3" && "$PYTHON3" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null],
    [cb_driver_found=$PYTHON3],
    [cb_driver_found="cannot run: no python3 of version 3.9 or later"])
  AM_CONDITIONAL([HAVE_PYTHON3], [test "$cb_driver_found" = "$PYTHON3"])
])
