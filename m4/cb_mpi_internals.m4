# CB_MPI_INTERNALS: visible internals of Open MPI that save two calls per small message: the received bytes in
# MPI_Status, and the request object that all sends share which are complete when they return. The check compiles and
# links only; without these the public functions of MPI are called. Needs CB_MPI.
AC_DEFUN([CB_MPI_INTERNALS], [
  cb_saved_CFLAGS=$CFLAGS cb_saved_LIBS=$LIBS
  CFLAGS="$CFLAGS $MPI_CFLAGS" LIBS="$MPI_LIBS $LIBS"
  AC_MSG_CHECKING([whether MPI_Status keeps the size of a message])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <stddef.h>
#include <mpi.h>]], [[MPI_Status status = {0};
size_t *bytes = &status._ucount;
return *bytes != 0;]])],
    [AC_MSG_RESULT([yes])
     AC_DEFINE([HAVE_MPI_STATUS_UCOUNT], [1], [MPI_Status has the received bytes in _ucount, as size_t])],
    [AC_MSG_RESULT([no])])
  AC_MSG_CHECKING([whether complete sends share a request])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef OPEN_MPI
#error other libraries count the users of such a request
#endif
extern struct ompi_request_t ompi_request_empty;]], [[MPI_Request request = &ompi_request_empty;
return request == MPI_REQUEST_NULL;]])],
    [AC_MSG_RESULT([yes])
     AC_DEFINE([HAVE_MPI_SHARED_COMPLETE_REQUEST], [1],
       [All sends that are complete as they return have the same request, which needs no completion])],
    [AC_MSG_RESULT([no])])
  CFLAGS=$cb_saved_CFLAGS LIBS=$cb_saved_LIBS
])
