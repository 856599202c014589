libcombench_a_SOURCES += \
	%D%/clock.c %D%/clock.h \
	%D%/context.h \
	%D%/context_file.c \
	%D%/context_internal.h \
	%D%/context_job.c \
	%D%/context_text.c \
	%D%/coroutine.c %D%/coroutine.h \
	%D%/crc32.c %D%/crc32.h \
	%D%/event_heap.h \
	%D%/formula.c %D%/formula.h \
	%D%/fragments.c %D%/fragments.h \
	%D%/grow.h \
	%D%/input.c %D%/input.h \
	%D%/log.c %D%/log.h \
	%D%/memory.c %D%/memory.h \
	%D%/options.c %D%/options.h \
	%D%/options_help.c \
	%D%/order.h \
	%D%/output.c %D%/output.h \
	%D%/parameters.c %D%/parameters.h \
	%D%/parts.h \
	%D%/random.c %D%/random.h \
	%D%/settings.c %D%/settings.h \
	%D%/status.c %D%/status.h \
	%D%/units.c %D%/units.h
