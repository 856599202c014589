EXTRA_DIST += $(srcdir)/docs/*.md $(srcdir)/docs/*.json $(srcdir)/docs/examples/*
