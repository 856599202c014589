EXTRA_DIST += $(srcdir)/docs/*.md $(srcdir)/docs/*.json
