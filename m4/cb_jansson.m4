# CB_JANSSON: reading and writing of JSON.
AC_DEFUN([CB_JANSSON], [
  PKG_CHECK_MODULES([JANSSON], [jansson >= 2.10], [],
    [AC_MSG_ERROR([jansson 2.10 or later is needed: install libjansson-dev; $JANSSON_PKG_ERRORS])])
  CB_LIBRARY_VERSION([jansson])
])
