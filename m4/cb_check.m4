# CB_CHECK: the unit test library; without it the unit tests are not built, and make check reports that.
AC_DEFUN([CB_CHECK], [
  PKG_CHECK_MODULES([CHECK], [check >= 0.11], [cb_check_found=yes],
    [cb_check_found="none: install the package check"])
  AM_CONDITIONAL([HAVE_CHECK], [test "x$cb_check_found" = xyes])
])
