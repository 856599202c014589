# CB_AS_NEEDED: lets a program load only the libraries that it calls. Without it every test program would load
# those of all technologies; libfabric's psm, when it is loaded, takes over the signals of a crash.
AC_DEFUN([CB_AS_NEEDED], [
  AC_MSG_CHECKING([whether the linker takes --as-needed])
  cb_saved_LDFLAGS=$LDFLAGS
  LDFLAGS="$LDFLAGS -Wl,--as-needed"
  AC_LINK_IFELSE([AC_LANG_PROGRAM()],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     LDFLAGS=$cb_saved_LDFLAGS])
])
