# CB_CONFUSE: reading of configuration files.
AC_DEFUN([CB_CONFUSE], [
  PKG_CHECK_MODULES([CONFUSE], [libconfuse >= 3.0], [],
    [AC_MSG_ERROR([libconfuse 3.0 or later is needed: install libconfuse-dev; $CONFUSE_PKG_ERRORS])])
  CB_LIBRARY_VERSION([libconfuse])
])
