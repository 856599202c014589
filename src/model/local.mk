# libccmod: the communication model, a library of its own with all that it needs of base.
lib_LIBRARIES += libccmod.a
ccmodincludedir = $(includedir)/combench
ccmodinclude_HEADERS = %D%/ccmod.h
ccmodbaseincludedir = $(ccmodincludedir)/base
ccmodbaseinclude_HEADERS = src/base/status.h

libccmod_a_CPPFLAGS = $(AM_CPPFLAGS)
libccmod_a_SOURCES = \
	src/base/random.c src/base/status.c src/base/units.c \
	%D%/calibration.c \
	%D%/ccmod.h \
	%D%/error.c \
	%D%/names.c \
	%D%/network.c %D%/networks.h \
	%D%/network_crossbar.c \
	%D%/trace.h %D%/trace_parser.h \
	%D%/trace_expression.c %D%/trace_fields.c %D%/trace_file.c %D%/trace_lists.c \
	%D%/trace_parse.c %D%/trace_scan.c %D%/trace_workload.c

CCMOD_LIBS = libccmod.a
