# Packages, made of the tarball: make rpm, make deb, make spack; docs/reference/packaging.md.
EXTRA_DIST += \
	%D%/check %D%/combench.spec.in %D%/definitions.py %D%/easyconfig.eb.in %D%/modulefile.in %D%/package.py.in \
	%D%/ramble_application.py.in %D%/debian/tests/control %D%/debian/tests/two-ranks %D%/debian/tests/two-ranks-mpich \
	%D%/debian/changelog.in %D%/debian/combench-dev.install %D%/debian/combench.install \
	%D%/debian/combench.lintian-overrides \
	%D%/debian/control %D%/debian/copyright %D%/debian/not-installed %D%/debian/rules %D%/debian/source/format

# ReFrame's tests find benchmarks.json beside them.
dist_pkgdata_DATA = %D%/reframe_checks.py

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

# The folder of the tarball as an address: SOURCE_URL, or here.
definitions = $(PYTHON3) $(srcdir)/%D%/definitions.py benchmarks.json
definition_values = VERSION=$(VERSION) URL='$(PROJECT_URL)' \
	SOURCE_URL="`test -n '$(SOURCE_URL)' && echo '$(SOURCE_URL)' || echo file://$(abs_builddir)`" TARBALL=$(tarball) \
	SHA256="`sha256sum $(tarball) | cut -d ' ' -f 1`"

# A repository for Spack with one recipe.
spack: dist benchmarks.json
	$(MKDIR_P) %D%/spack/packages/$(PACKAGE)
	printf 'repo:\n  namespace: combench\n' >%D%/spack/repo.yaml
	$(definitions) $(srcdir)/%D%/package.py.in $(definition_values) >%D%/spack/packages/$(PACKAGE)/package.py

# A repository for Ramble with one application.
ramble: dist benchmarks.json
	$(MKDIR_P) %D%/ramble/applications/$(PACKAGE)
	printf 'repo:\n  namespace: combench\n' >%D%/ramble/repo.yaml
	$(definitions) $(srcdir)/%D%/ramble_application.py.in $(definition_values) \
		>%D%/ramble/applications/$(PACKAGE)/application.py

easybuild: dist benchmarks.json
	$(MKDIR_P) %D%/easybuild
	$(definitions) $(srcdir)/%D%/easyconfig.eb.in $(definition_values) >%D%/easybuild/$(PACKAGE)-$(VERSION)-gompi-2023a.eb

# Debian's tests of the packages that are here, on this machine: they install what they depend on, and build from
# a source that is not configured.
autopkgtest: deb
	cd %D%/deb/$(distdir) && MAKEFLAGS= dpkg-buildpackage -T clean
	autopkgtest $(abs_builddir)/%D%/deb/*.deb $(abs_builddir)/%D%/deb/$(distdir)/ -- null

# Check that the packages contain all installed files.
check-packages: rpm deb spack ramble easybuild
	$(SHELL) $(srcdir)/%D%/check $(abs_builddir)

clean-local: clean-packages
clean-packages:
	-rm -rf %D%/rpm %D%/deb %D%/spack %D%/ramble %D%/easybuild
.PHONY: rpm deb spack ramble easybuild autopkgtest check-packages clean-packages
