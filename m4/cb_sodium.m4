# CB_SODIUM: the library that authenticates the datagrams of the technology udp. Without it udp has no multicast, to
# which any user of a host can listen. --with-libsodium insists on it, --without-libsodium leaves it out.
AC_DEFUN([CB_SODIUM], [
  AC_REQUIRE([PKG_PROG_PKG_CONFIG])
  AC_ARG_WITH([libsodium],
    [AS_HELP_STRING([--with-libsodium|--without-libsodium],
      [insist on, or do without, libsodium 1.0.12 or later for multicasts over udp (default: use it where it is installed)])],
    [], [with_libsodium=auto])
  SODIUM_FOUND="no: left out by --without-libsodium, so udp has no multicast"
  AS_IF([test "x$with_libsodium" = xno], [cb_sodium_used=no],
    [PKG_CHECK_MODULES([SODIUM], [libsodium >= 1.0.12], [cb_sodium_used=yes], [cb_sodium_used=no])
     AS_IF([test $cb_sodium_used = yes], [SODIUM_FOUND="`$PKG_CONFIG --modversion libsodium`"],
       [test "x$with_libsodium" = xauto],
       [SODIUM_FOUND="not found, so udp has no multicast; to get it, install libsodium-dev (1.0.12 or later)"],
       [AC_MSG_ERROR([--with-libsodium: $SODIUM_PKG_ERRORS
Install libsodium-dev (1.0.12 or later), add the folder of its libsodium.pc to PKG_CONFIG_PATH, or use --without-libsodium])])])
  AS_IF([test $cb_sodium_used = yes],
    [AC_DEFINE([HAVE_SODIUM], [1], [Whether there is the library libsodium.])
     CB_LIBRARY_VERSION([libsodium])],
    [SODIUM_CFLAGS=
     SODIUM_LIBS=])
  AC_SUBST([SODIUM_FOUND])
])
