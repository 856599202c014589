# The tracer, which is preloaded into MPI programs and never linked with: a program that is linked as a
# shared object, so that it lies in the build folder under its own name and needs no .la file. libtool
# would take -shared as its own option. It is built without sanitizers, and exports only MPI's names.
tracerdir = $(pkglibdir)
tracer_PROGRAMS = libcombench-trace.so
libcombench_trace_so_SOURCES = \
	%D%/arrange.c %D%/collectives.c %D%/completion.c %D%/life.c %D%/messages.c %D%/order.c %D%/order.h %D%/output.c %D%/patterns.c %D%/patterns.h \
	%D%/real.c %D%/real.h %D%/records.c %D%/records.h %D%/requests.c %D%/requests.h %D%/state.c \
	%D%/tracer.h %D%/unrecorded.c %D%/waiting.c \
	src/base/log.c src/base/memory.c src/base/output.c src/base/random.c src/base/units.c
libcombench_trace_so_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libcombench_trace_so_CFLAGS = -std=gnu11 $(WARNING_CFLAGS) -fPIC -fvisibility=hidden
libcombench_trace_so_LDFLAGS = -XCClinker -shared -Wl,-z,defs
libcombench_trace_so_LDADD = $(MPI_LIBS)
