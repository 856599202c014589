# The background task is a thread; old C libraries have threads and semaphores in a separate library.
AC_DEFUN([CB_THREADS], [
AC_SEARCH_LIBS([pthread_create], [pthread], [],
    [AC_MSG_ERROR([no POSIX threads were found])])
AC_SEARCH_LIBS([sem_post], [pthread rt], [],
    [AC_MSG_ERROR([no POSIX semaphores were found])])
])
