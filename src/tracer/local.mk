# The tracer, to be loaded before an MPI program: a program that is linked as a shared object, since
# libtool would name it as a library; -XCClinker hands -shared on to the compiler. It has neither
# sanitizers nor symbols of its own beside MPI's.
tracerdir = $(pkglibdir)
tracer_PROGRAMS = libcombench-trace.so
libcombench_trace_so_SOURCES = \
	%D%/collectives.c %D%/completion.c %D%/messages.c \
	%D%/patterns.c %D%/patterns.h %D%/persistent.c %D%/probes.c \
	%D%/records.c %D%/records.h %D%/requests.c %D%/requests.h %D%/started.c %D%/tracer.h \
	%D%/unrecorded.c %D%/world.c \
	src/base/log.c src/base/memory.c src/base/random.c src/base/units.c
libcombench_trace_so_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libcombench_trace_so_CFLAGS = -std=gnu11 $(WARNING_CFLAGS) -fPIC -fvisibility=hidden
libcombench_trace_so_LDFLAGS = -XCClinker -shared -Wl,-z,defs
libcombench_trace_so_LDADD = $(MPI_LIBS)
