# The computing task is a thread; old C libraries keep threads and semaphores in a library apart.
AC_DEFUN([CB_THREADS], [
AC_SEARCH_LIBS([pthread_create], [pthread], [],
    [AC_MSG_ERROR([no POSIX threads were found])])
AC_SEARCH_LIBS([sem_post], [pthread rt], [],
    [AC_MSG_ERROR([no POSIX semaphores were found])])
])
