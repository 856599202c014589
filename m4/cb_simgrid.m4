# CB_SIMGRID: SimGrid, beside which make perf measures the model; without it that part is left out.
AC_DEFUN([CB_SIMGRID], [
  PKG_CHECK_MODULES([SIMGRID], [simgrid >= 3.25], [cb_simgrid_found=yes], [cb_simgrid_found=no])
  AM_CONDITIONAL([HAVE_SIMGRID], [test "x$cb_simgrid_found" = xyes])
])
