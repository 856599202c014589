# CB_HWLOC: the topology of hosts, 2.1 or later, which can select components.
AC_DEFUN([CB_HWLOC], [
  PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.1], [],
    [AC_MSG_ERROR([hwloc 2.1 or later is needed: install libhwloc-dev; $HWLOC_PKG_ERRORS])])
  CB_LIBRARY_VERSION([hwloc])
])
