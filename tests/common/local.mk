# What tests of several folders share: the frame of a unit test, and that of a test under mpirun.
UNIT_FLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(CHECK_CFLAGS)
UNIT_LIBS = $(BENCHMARK_LIBS) $(CHECK_LIBS)
JOB_SOURCES = %D%/job.c %D%/job.h
# With the functions of job.c that count logged errors.
LDFLAGS_OF_JOBS = $(AM_LDFLAGS) -Wl,--wrap=cb_log -Wl,--wrap=cb_log_silence

EXTRA_DIST += %D%/applications.sh %D%/launch.sh %D%/lists.h %D%/messages.h %D%/unit.h
