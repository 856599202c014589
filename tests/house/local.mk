# The project as a whole: who includes whom, and what the programs say of themselves.
HOUSE_TESTS = \
	%D%/test_benchmarks.py \
	%D%/test_check.sh \
	%D%/test_columns.py \
	%D%/test_completion.sh \
	%D%/test_docs.py \
	%D%/test_failed_tests.sh \
	%D%/test_help.py \
	%D%/test_incast.py \
	%D%/test_installed.sh \
	%D%/test_layering.py \
	%D%/test_manual.sh \
	%D%/test_networks.py \
	%D%/test_packaging.py \
	%D%/test_peers.py \
	%D%/test_reproduction.py \
	%D%/test_reproduction_ccmod.py \
	%D%/test_state.py \
	%D%/test_tables.py \
	%D%/test_technologies.py \
	%D%/test_waits.py \
	%D%/test_words.py
TESTS += $(HOUSE_TESTS)
EXTRA_DIST += $(HOUSE_TESTS) %D%/layering.py %D%/phrases.txt %D%/structure.py \
	$(srcdir)/tests/house/golden/*/*
