# Packages, made of the tarball: make rpm, make deb, make spack; docs/reference/packaging.md.
EXTRA_DIST += \
	%D%/check %D%/combench.spec.in %D%/modulefile.in %D%/package.py.in \
	%D%/debian/changelog.in %D%/debian/combench-dev.install %D%/debian/combench.install \
	%D%/debian/control %D%/debian/copyright %D%/debian/not-installed %D%/debian/rules %D%/debian/source/format

# The module file has the prefix of make install, which may differ from that of configure.
modulesdir = $(datadir)/modulefiles/$(PACKAGE)
install-data-hook: install-module
install-module:
	$(MKDIR_P) "$(DESTDIR)$(modulesdir)"
	$(SED) -e 's|@VERSION[@]|$(VERSION)|g' -e 's|@MPI_KIND[@]|$(MPI_KIND)|g' \
		-e 's|@bindir[@]|$(bindir)|g' -e 's|@mandir[@]|$(mandir)|g' \
		-e 's|@datadir[@]|$(datadir)|g' -e 's|@pkgdatadir[@]|$(pkgdatadir)|g' \
		-e 's|@pkgconfigdir[@]|$(pkgconfigdir)|g' \
		$(srcdir)/%D%/modulefile.in >"$(DESTDIR)$(modulesdir)/$(VERSION)"
uninstall-hook: uninstall-module
uninstall-module:
	rm -f "$(DESTDIR)$(modulesdir)/$(VERSION)"
.PHONY: install-module uninstall-module

tarball = $(distdir).tar.xz

rpm: dist
	rm -rf %D%/rpm && $(MKDIR_P) %D%/rpm/SOURCES
	cp $(tarball) %D%/rpm/SOURCES
	rpmbuild -ba --define "_topdir $(abs_builddir)/%D%/rpm" $(RPMBUILDFLAGS) %D%/combench.spec

deb: dist
	rm -rf %D%/deb && $(MKDIR_P) %D%/deb
	$(AMTAR) -xf $(tarball) -C %D%/deb
	cp -R %D%/deb/$(distdir)/packaging/debian %D%/deb/$(distdir)/debian
	$(SED) -e 's|@VERSION[@]|$(VERSION)|' -e "s|@DATE[@]|`date -u -R -d $(CB_DATE)`|" \
		$(srcdir)/%D%/debian/changelog.in >%D%/deb/$(distdir)/debian/changelog
	rm -f %D%/deb/$(distdir)/debian/changelog.in
	cd %D%/deb/$(distdir) && MAKEFLAGS= dpkg-buildpackage -b -us -uc $(DEBBUILDFLAGS)

# A repository for Spack with one recipe, whose source is the tarball here.
spack: dist
	$(MKDIR_P) %D%/spack/packages/$(PACKAGE)
	printf 'repo:\n  namespace: combench\n' >%D%/spack/repo.yaml
	$(SED) -e 's|@VERSION[@]|$(VERSION)|' -e 's|@TARBALL[@]|$(abs_builddir)/$(tarball)|' \
		-e "s|@SHA256[@]|`sha256sum $(tarball) | cut -d ' ' -f 1`|" \
		$(srcdir)/%D%/package.py.in >%D%/spack/packages/$(PACKAGE)/package.py

# Check that the packages contain all installed files.
check-packages: rpm deb spack
	$(SHELL) $(srcdir)/%D%/check $(abs_builddir)

clean-local: clean-packages
clean-packages:
	-rm -rf %D%/rpm %D%/deb %D%/spack
.PHONY: rpm deb spack check-packages clean-packages
