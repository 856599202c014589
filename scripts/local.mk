EXTRA_DIST += %D%/build %D%/check %D%/install-packages %D%/quickstart %D%/testbed %D%/trace .ci/run

# The driver of the suite; installed it says where its package is.
dist_bin_SCRIPTS = %D%/combench
install-exec-hook:
	$(SED) 's|^PACKAGE = .*|PACKAGE = Path("$(pkgdatadir)/python")|' \
		$(DESTDIR)$(bindir)/combench >$(DESTDIR)$(bindir)/combench.tmp
	cat $(DESTDIR)$(bindir)/combench.tmp >$(DESTDIR)$(bindir)/combench
	rm -f $(DESTDIR)$(bindir)/combench.tmp
