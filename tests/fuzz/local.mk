# Fuzz targets, built with a driver of their own; tests/fuzz/standalone.c says how to run them.
EXTRA_DIST += $(srcdir)/tests/fuzz/corpus/*/*
