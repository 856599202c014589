EXTRA_DIST += $(srcdir)/docs/*.md $(srcdir)/docs/*.json $(srcdir)/docs/examples/*.cct $(srcdir)/docs/examples/*.svg $(srcdir)/docs/examples/*.plan

# Directories for --config, to be used as they are or copied.
note_defaultsdir = $(docdir)/examples/note-defaults
dist_note_defaults_DATA = \
	%D%/examples/note-defaults/network.conf %D%/examples/note-defaults/nodes.conf \
	%D%/examples/note-defaults/machines.conf
two_machinesdir = $(docdir)/examples/two-machines
dist_two_machines_DATA = \
	%D%/examples/two-machines/network.conf %D%/examples/two-machines/nodes.conf \
	%D%/examples/two-machines/machines.conf
