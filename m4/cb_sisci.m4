# CB_SISCI: the SISCI library that the technology sci uses. --with-sisci=DIR|yes|no|software; by default
# Dolphin's where it is installed, else the software library of this project, which is built and
# installed in any case. Sets SISCI_KIND (dolphin, software, none), SISCI_CFLAGS and SISCI_LIBS, and
# SISCI_SHM_LIBS, the system libraries of the software library.

# CB_SISCI_TRY_DOLPHIN(DIRECTORY): whether Dolphin's library in that directory links; sets
# cb_sisci_links. Its functions and constants are macros for other names, so the test program includes
# the header.
AC_DEFUN([CB_SISCI_TRY_DOLPHIN], [
  cb_sisci_library=$1/lib
  AS_IF([test -d "$1/lib64"], [cb_sisci_library=$1/lib64])
  cb_sisci_cflags="-D_REENTRANT -I$1/include -I$1/include/dis"
  cb_sisci_libs="-L$cb_sisci_library -Wl,-rpath,$cb_sisci_library -lsisci"
  cb_saved_CPPFLAGS=$CPPFLAGS
  cb_saved_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $cb_sisci_cflags"
  LIBS="$cb_sisci_libs $LIBS"
  AC_MSG_CHECKING([whether Dolphin's SISCI library in $1 links])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <sisci_api.h>]], [[
      sci_error_t error;
      SCIInitialize(0, &error);
      return error != SCI_ERR_OK || SCI_FLAG_USE_CALLBACK == 0;]])],
    [cb_sisci_links=yes], [cb_sisci_links=no])
  AC_MSG_RESULT([$cb_sisci_links])
  CPPFLAGS=$cb_saved_CPPFLAGS
  LIBS=$cb_saved_LIBS
])

AC_DEFUN([CB_SISCI], [
  AC_ARG_WITH([sisci],
    [AS_HELP_STRING([--with-sisci=DIR|yes|no|software],
      [the SISCI library: Dolphin's in DIR or (yes) in /opt/DIS, the software library of this project,
       or none (default: Dolphin's where it is installed, else software)])],
    [], [with_sisci=auto])

  cb_saved_LIBS=$LIBS
  LIBS=
  AC_SEARCH_LIBS([shm_open], [rt], [],
    [AC_MSG_ERROR([there is no shm_open, on which libsisci-shm stands])])
  AC_SEARCH_LIBS([pthread_create], [pthread], [],
    [AC_MSG_ERROR([there is no pthread_create, which libsisci-shm needs])])
  SISCI_SHM_LIBS="-pthread $LIBS"
  LIBS=$cb_saved_LIBS

  cb_sisci_directory=/opt/DIS
  AS_CASE([$with_sisci], [auto|yes|no|software], [], [cb_sisci_directory=$with_sisci])
  SISCI_KIND=software
  AS_CASE([$with_sisci],
    [no], [SISCI_KIND=none],
    [software], [],
    [CB_SISCI_TRY_DOLPHIN([$cb_sisci_directory])
     AS_IF([test $cb_sisci_links = yes], [SISCI_KIND=dolphin],
       [test "x$with_sisci" != xauto],
       [AC_MSG_ERROR([--with-sisci=$with_sisci: a program with sisci_api.h does not compile and link
with $cb_sisci_cflags $cb_sisci_libs (see config.log); name the folder in which Dolphin's include and
lib64 or lib are, or use --with-sisci=software])])])

  SISCI_CFLAGS=
  SISCI_LIBS=
  AS_CASE([$SISCI_KIND],
    [dolphin], [SISCI_CFLAGS=$cb_sisci_cflags
                SISCI_LIBS=$cb_sisci_libs
                AC_DEFINE([HAVE_SISCI_DOLPHIN], [1], [Whether the SISCI library is Dolphin's.])],
    [software], [SISCI_CFLAGS='-D_REENTRANT -I$(top_srcdir)/src/sisci'
                 SISCI_LIBS="libsisci-shm.a $SISCI_SHM_LIBS"])
  AS_IF([test $SISCI_KIND != none],
    [AC_DEFINE([HAVE_SISCI], [1], [Whether there is a SISCI library.])
     cb_technologies="$cb_technologies sci"])
  AM_CONDITIONAL([HAVE_SISCI], [test $SISCI_KIND != none])
  AM_CONDITIONAL([SISCI_SOFTWARE], [test $SISCI_KIND = software])
  AC_SUBST([SISCI_KIND])
  AC_SUBST([SISCI_CFLAGS])
  AC_SUBST([SISCI_LIBS])
  AC_SUBST([SISCI_SHM_LIBS])
])
