# CB_WARNINGS: sets WARNING_CFLAGS to the warnings that the compiler supports; errors with --enable-werror.
AC_DEFUN([CB_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])])
  WARNING_CFLAGS=
  for cb_flag in -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
      -Wcast-qual -Wwrite-strings -Wundef -Wvla -Wformat=2 -Wnull-dereference -Wduplicated-cond \
      -Wlogical-op -Wdouble-promotion -Wimplicit-fallthrough; do
    cb_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $cb_flag"
    AC_MSG_CHECKING([whether $CC accepts $cb_flag])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM],
      [AC_MSG_RESULT([yes]); WARNING_CFLAGS="$WARNING_CFLAGS $cb_flag"], [AC_MSG_RESULT([no])])
    CFLAGS=$cb_saved_CFLAGS
  done
  AS_IF([test "x$enable_werror" = xyes], [WARNING_CFLAGS="$WARNING_CFLAGS -Werror"])
  AC_SUBST([WARNING_CFLAGS])
])
