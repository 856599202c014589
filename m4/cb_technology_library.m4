# CB_TECHNOLOGY_LIBRARY(PREFIX, MODULE, VERSION, PACKAGE, TECHNOLOGY): the library of a technology, found by
# pkg-config. It is used where it is installed; --with-MODULE insists on it, --without-MODULE leaves it out. Sets
# HAVE_PREFIX, PREFIX_CFLAGS, PREFIX_LIBS and PREFIX_FOUND, what configure reports at its end.
AC_DEFUN([CB_TECHNOLOGY_LIBRARY], [
  AC_REQUIRE([PKG_PROG_PKG_CONFIG])
  AC_ARG_WITH([$2],
    [AS_HELP_STRING([--with-$2|--without-$2],
      [insist on, or do without, $2 $3 or later for the technology $5 (default: use it where it is installed)])],
    [], [with_$2=auto])
  $1_FOUND="no: left out by --without-$2, so there is no technology $5"
  AS_IF([test "x$with_$2" = xno], [cb_$2_used=no],
    [PKG_CHECK_MODULES([$1], [$2 >= $3], [cb_$2_used=yes], [cb_$2_used=no])
     AS_IF([test $cb_$2_used = yes], [$1_FOUND="`$PKG_CONFIG --modversion $2`"],
       [test "x$with_$2" = xauto],
       [$1_FOUND="not found, so there is no technology $5; to get it, install $4 ($3 or later)"],
       [AC_MSG_ERROR([--with-$2: $$1_PKG_ERRORS
Install $4 ($3 or later), add the folder of its $2.pc to PKG_CONFIG_PATH, or use --without-$2])])])
  AS_IF([test $cb_$2_used = yes],
    [AC_DEFINE([HAVE_$1], [1], [Whether there is the library $2.])
     CB_LIBRARY_VERSION([$2])
     cb_technologies="$cb_technologies $5"],
    [$1_CFLAGS=
     $1_LIBS=])
  AM_CONDITIONAL([HAVE_$1], [test $cb_$2_used = yes])
  AC_SUBST([$1_FOUND])
])
