# Unit tests of src/report.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_report \
	%D%/test_report_file \
	%D%/test_report_parkbench \
	%D%/test_report_stream \
	%D%/test_svg \
	%D%/test_trace
endif

tests_report_test_report_SOURCES = \
	%D%/test_report.c %D%/report.h %D%/report_farms.c %D%/report_golden.c %D%/report_lines.c \
	%D%/report_rows.c %D%/report_values.c
tests_report_test_report_CPPFLAGS = $(UNIT_FLAGS)
tests_report_test_report_LDADD = $(UNIT_LIBS)
tests_report_test_report_file_CPPFLAGS = $(UNIT_FLAGS)
tests_report_test_report_file_LDADD = $(UNIT_LIBS)
tests_report_test_report_parkbench_CPPFLAGS = $(UNIT_FLAGS)
tests_report_test_report_parkbench_LDADD = $(UNIT_LIBS)
tests_report_test_report_stream_CPPFLAGS = $(UNIT_FLAGS)
tests_report_test_report_stream_LDADD = $(UNIT_LIBS)
tests_report_test_svg_CPPFLAGS = $(UNIT_FLAGS)
tests_report_test_svg_LDADD = $(CCMOD_LIBS) $(CHECK_LIBS)
tests_report_test_trace_CPPFLAGS = $(UNIT_FLAGS)
tests_report_test_trace_LDADD = $(UNIT_LIBS)

EXTRA_DIST += $(srcdir)/tests/report/golden/*
