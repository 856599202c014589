# CB_COROUTINES: stacks of ranks in one process. Boost.Context's functions are C; its headers are not.
AC_DEFUN([CB_COROUTINES], [
  AC_CHECK_LIB([boost_context], [jump_fcontext], [AC_SUBST([CONTEXT_LIBS], [-lboost_context])],
    [AC_MSG_ERROR([Boost.Context 1.61 or later is needed: install libboost-context-dev])])
])
