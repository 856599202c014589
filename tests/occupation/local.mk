# Unit tests of src/occupation.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_occupation
endif

tests_occupation_test_occupation_CPPFLAGS = $(UNIT_FLAGS)
tests_occupation_test_occupation_LDADD = $(UNIT_LIBS)
