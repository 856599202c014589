# CB_SANITIZERS: --enable-sanitizers[=LIST], by default address,undefined; sets SANITIZER_CFLAGS.
AC_DEFUN([CB_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@],
      [build with these sanitizers (default where no list is given: address,undefined)])],
    [], [enable_sanitizers=no])
  cb_sanitizers=$enable_sanitizers
  AS_CASE([$enable_sanitizers], [no], [cb_sanitizers=], [yes], [cb_sanitizers=address,undefined])
  SANITIZER_CFLAGS=
  AS_IF([test -n "$cb_sanitizers"], [
    SANITIZER_CFLAGS="-fsanitize=$cb_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer"
    cb_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $SANITIZER_CFLAGS"
    AC_MSG_CHECKING([whether $CC can sanitize $cb_sanitizers])
    AC_LINK_IFELSE([AC_LANG_PROGRAM], [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([--enable-sanitizers=$cb_sanitizers does not link with $CC: install its run-time library, or name others])])
    CFLAGS=$cb_saved_CFLAGS
  ])
  AC_SUBST([SANITIZER_CFLAGS])
])
