# Tests of the communication model; they link its library alone.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_calibration %D%/test_calibration_file %D%/test_calibration_fit %D%/test_determinism %D%/test_evaluation %D%/test_horizons %D%/test_metamorphic \
	%D%/test_limits %D%/test_reactions %D%/test_reference %D%/test_routes %D%/test_tcp %D%/test_topology_file %D%/test_trace \
	%D%/test_trace_errors
endif

MODEL_FLAGS = $(UNIT_FLAGS)
MODEL_LIBS = $(CCMOD_LIBS) $(CHECK_LIBS)
MODEL_RECORDS = \
	%D%/networks.c %D%/networks.h %D%/records.c %D%/records.h %D%/reference.c %D%/reference.h
MODEL_TEXT = %D%/trace_text.c %D%/trace_text.h

tests_model_test_reference_SOURCES = %D%/test_reference.c $(MODEL_RECORDS)
tests_model_test_reference_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_reference_LDADD = $(MODEL_LIBS)
tests_model_test_reactions_SOURCES = %D%/test_reactions.c $(MODEL_RECORDS)
tests_model_test_reactions_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_reactions_LDADD = $(MODEL_LIBS)
tests_model_test_trace_SOURCES = %D%/test_trace.c $(MODEL_TEXT)
tests_model_test_trace_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_trace_LDADD = $(MODEL_LIBS)
tests_model_test_trace_errors_SOURCES = %D%/test_trace_errors.c $(MODEL_TEXT)
tests_model_test_trace_errors_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_trace_errors_LDADD = $(MODEL_LIBS)
tests_model_test_calibration_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_calibration_LDADD = $(MODEL_LIBS)
tests_model_test_calibration_file_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_calibration_file_LDADD = $(MODEL_LIBS)
tests_model_test_calibration_fit_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_calibration_fit_LDADD = $(MODEL_LIBS)
tests_model_test_determinism_SOURCES = %D%/test_determinism.c $(MODEL_RECORDS)
tests_model_test_determinism_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_determinism_LDADD = $(MODEL_LIBS)
tests_model_test_limits_SOURCES = %D%/test_limits.c $(MODEL_TEXT)
tests_model_test_limits_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_limits_LDADD = $(MODEL_LIBS)
tests_model_test_evaluation_SOURCES = \
	%D%/test_evaluation.c %D%/evaluation.h %D%/evaluation_acknowledgements.c %D%/evaluation_fifo.c \
	%D%/evaluation_observers.c %D%/evaluation_records.c %D%/evaluation_sharing.c %D%/evaluation_tcp.c $(MODEL_TEXT)
tests_model_test_evaluation_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_evaluation_LDADD = $(MODEL_LIBS)
tests_model_test_metamorphic_SOURCES = %D%/test_metamorphic.c $(MODEL_RECORDS)
tests_model_test_metamorphic_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_metamorphic_LDADD = $(MODEL_LIBS)
tests_model_test_routes_SOURCES = %D%/test_routes.c %D%/graph.c %D%/graph.h $(MODEL_RECORDS)
tests_model_test_routes_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_routes_LDADD = $(MODEL_LIBS)
tests_model_test_topology_file_SOURCES = %D%/test_topology_file.c %D%/graph.c %D%/graph.h
tests_model_test_topology_file_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_topology_file_LDADD = $(MODEL_LIBS)
tests_model_test_tcp_SOURCES = \
	%D%/test_tcp.c src/model/sharing/tcp_receiver.c src/model/sharing/tcp_sender.c
tests_model_test_tcp_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_tcp_LDADD = $(CHECK_LIBS) -lm

tests_model_test_horizons_SOURCES = \
	%D%/test_horizons.c %D%/graph.c %D%/graph.h $(MODEL_RECORDS)
tests_model_test_horizons_CPPFLAGS = $(MODEL_FLAGS)
tests_model_test_horizons_LDADD = $(MODEL_LIBS)

TESTS += %D%/model_installed.sh
EXTRA_DIST += %D%/example.net %D%/model_installed.sh %D%/use_ccmod.c
