# CB_MPI: an MPI library, found by its compiler wrapper MPICC, from which only the flags are used, so that
# CC can be any compiler; and its launcher MPIRUN. Sets MPI_CFLAGS, MPI_LIBS, MPI_KIND (openmpi or mpich).
AC_DEFUN([CB_MPI], [
  AC_ARG_VAR([MPICC], [MPI compiler wrapper whose flags are used, mpicc by default])
  AC_ARG_VAR([MPIRUN], [launcher that belongs to it, by default mpirun with the wrapper's ending])
  AC_PATH_PROGS([cb_mpicc], [${MPICC:-mpicc}])
  AS_IF([test -z "$cb_mpicc"],
    [AC_MSG_ERROR([no MPI: ${MPICC:-mpicc} is not in PATH; install Open MPI (libopenmpi-dev) or MPICH (libmpich-dev), or set MPICC])])
  AC_MSG_CHECKING([for the flags of $cb_mpicc])
  cb_mpi_words=`$cb_mpicc --showme:compile 2>/dev/null && $cb_mpicc --showme:link 2>/dev/null` ||
    cb_mpi_words=`$cb_mpicc -show 2>/dev/null | $SED 's/^@<:@^ @:>@* *//'`
  MPI_CFLAGS= MPI_LIBS=
  for cb_word in $cb_mpi_words; do
    AS_CASE([$cb_word],
      [-I*|-pthread], [MPI_CFLAGS="$MPI_CFLAGS $cb_word"],
      [-L*|-l*|-Wl,-rpath*|-Wl,--enable-new-dtags], [MPI_LIBS="$MPI_LIBS $cb_word"])
  done
  AC_MSG_RESULT([$MPI_CFLAGS$MPI_LIBS])
  cb_saved_CFLAGS=$CFLAGS cb_saved_LIBS=$LIBS
  CFLAGS="$CFLAGS $MPI_CFLAGS" LIBS="$MPI_LIBS $LIBS"
  AC_MSG_CHECKING([which MPI library that is])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef OMPI_MAJOR_VERSION
#error not Open MPI
#endif]], [[MPI_Init(0, 0);]])], [MPI_KIND=openmpi],
    [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Init(0, 0);]])], [MPI_KIND=mpich],
      [AC_MSG_RESULT([none])
       AC_MSG_ERROR([a program with the flags of $cb_mpicc does not link; see config.log])])])
  AC_MSG_RESULT([$MPI_KIND])
  CFLAGS=$cb_saved_CFLAGS LIBS=$cb_saved_LIBS
  # gcc warns that MPICH's MPI_STATUSES_IGNORE, which is not an address, is an array that is too short.
  AS_IF([test $MPI_KIND = mpich], [
    CFLAGS="$CFLAGS -Werror -Wstringop-overflow"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM],
      [WARNING_CFLAGS="$WARNING_CFLAGS -Wno-stringop-overflow"])
    CFLAGS=$cb_saved_CFLAGS
  ])
  cb_ending=`AS_ECHO(["$cb_mpicc"]) | $SED -n 's/.*mpicc\(\.@<:@a-z@:>@*\)$/\1/p'`
  AC_PATH_PROGS([MPIRUN], [mpirun$cb_ending mpirun])
  AC_SUBST([MPI_CFLAGS])
  AC_SUBST([MPI_LIBS])
  AC_SUBST([MPI_KIND])
])
