EXTRA_DIST += %D%/completion/combench.bash %D%/build %D%/check %D%/compare-gpcnet %D%/failed-tests %D%/install-packages %D%/quickstart %D%/reproduce %D%/testbed %D%/trace .ci/run

# Completion for bash, in the folder of bash-completion: a file named after each command.
# Every program that is installed has one.
completiondir = $(datadir)/bash-completion/completions
completed = combench $(bin_PROGRAMS)
install-data-hook: install-completion
install-completion:
	$(MKDIR_P) "$(DESTDIR)$(completiondir)"
	$(INSTALL_DATA) $(srcdir)/%D%/completion/combench.bash "$(DESTDIR)$(completiondir)/combench"
	cd "$(DESTDIR)$(completiondir)" && for command in $(completed); do \
		test $$command = combench || ln -sf combench $$command; \
	done
uninstall-hook:
	for command in $(completed); do rm -f "$(DESTDIR)$(completiondir)/$$command"; done
.PHONY: install-completion

# Batch scripts for Slurm, to be used unchanged or copied.
slurmdir = $(pkgdatadir)/slurm
dist_slurm_DATA = %D%/slurm/farms.sbatch %D%/slurm/many-nodes.sbatch %D%/slurm/one-node.sbatch %D%/slurm/scaling.sbatch

# The driver; the installed one contains the path of its package and of its python3.
if HAVE_PYTHON3
driver_line = 1s|.*|\#!$(PYTHON3)|;
endif
dist_bin_SCRIPTS = %D%/combench
install-exec-hook:
	$(SED) '$(driver_line) s|^PACKAGE = .*|PACKAGE = Path("$(pkgdatadir)/python")|' \
		$(DESTDIR)$(bindir)/combench >$(DESTDIR)$(bindir)/combench.tmp
	cat $(DESTDIR)$(bindir)/combench.tmp >$(DESTDIR)$(bindir)/combench
	rm -f $(DESTDIR)$(bindir)/combench.tmp
