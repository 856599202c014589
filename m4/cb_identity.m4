# CB_LIBRARY_VERSION(MODULE): record the version of a library that is built against, by pkg-config.
AC_DEFUN([CB_LIBRARY_VERSION],
  [cb_libraries="$cb_libraries{\"$1\", \"`$PKG_CONFIG --modversion $1`\"}, "])

# CB_IDENTITY: the facts on the program in a result: commit, compiler and libraries.
AC_DEFUN([CB_IDENTITY], [
  AC_MSG_CHECKING([for the commit])
  CB_COMMIT=`cd "$srcdir" && test -e .git && git rev-parse --short=12 HEAD 2>/dev/null` ||
    CB_COMMIT=`cat "$srcdir/.commit" 2>/dev/null` || CB_COMMIT=unknown
  AC_MSG_RESULT([$CB_COMMIT])
  cb_version_words=`$CC --version 2>/dev/null | $SED 1q`
  CB_COMPILER="$cb_version_words, $CFLAGS $SANITIZER_CFLAGS"
  CB_DATE=cb_release_date
  AC_ARG_VAR([PROJECT_URL], [public address of the project, for packages])
  AC_ARG_VAR([SOURCE_URL], [public folder of the tarball, for packages (default: the build folder)])
  PROJECT_URL=${PROJECT_URL:-https://localhost/combench}
  AC_SUBST([CB_COMMIT])
  AC_SUBST([CB_DATE])
  AC_DEFINE_UNQUOTED([CB_COMMIT], ["$CB_COMMIT"], [Commit that was configured])
  AC_DEFINE_UNQUOTED([CB_COMPILER], ["$CB_COMPILER"], [Compiler and its options])
  AC_DEFINE_UNQUOTED([CB_LIBRARIES], [$cb_libraries], [Names and versions of libraries, initialisers of an array])
  AC_DEFINE_UNQUOTED([CB_DATE], ["$CB_DATE"], [Date of the version])
  AC_DEFINE_UNQUOTED([CB_VERSION], ["$PACKAGE_VERSION"], [Version])
])
