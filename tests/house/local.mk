# The house as a whole: who includes whom, and what the programs say of themselves.
TESTS += %D%/test_columns.py %D%/test_completion.sh %D%/test_failed_tests.sh %D%/test_help.sh %D%/test_installed.sh %D%/test_layering.py %D%/test_manual.sh %D%/test_tables.py

EXTRA_DIST += %D%/layering.py %D%/test_columns.py %D%/test_completion.sh %D%/test_failed_tests.sh %D%/test_help.sh %D%/test_installed.sh %D%/test_layering.py %D%/test_manual.sh %D%/test_tables.py

# The table of columns as JSON, for test_columns.py.
check_PROGRAMS += %D%/describe_columns
tests_house_describe_columns_LDADD = $(COMBENCH_LIBS)
