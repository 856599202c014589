# CB_SIMGRID: SimGrid, with which make perf compares the model; without it that part is skipped.
AC_DEFUN([CB_SIMGRID], [
  PKG_CHECK_MODULES([SIMGRID], [simgrid >= 3.25], [cb_simgrid_found=yes], [cb_simgrid_found=no])
  AM_CONDITIONAL([HAVE_SIMGRID], [test "x$cb_simgrid_found" = xyes])
])
