EXTRA_DIST += \
	$(srcdir)/docs/*.md \
	$(srcdir)/docs/using/*.md \
	$(srcdir)/docs/reference/*.md \
	$(srcdir)/docs/development/*.md \
	$(srcdir)/docs/development/*.py \
	$(srcdir)/docs/development/incast/*.json \
	$(srcdir)/docs/development/networks/*.json \
	$(srcdir)/docs/examples/*.c \
	$(srcdir)/docs/examples/*.cal \
	$(srcdir)/docs/examples/*.cct \
	$(srcdir)/docs/examples/*.lammps \
	$(srcdir)/docs/examples/*.plan \
	$(srcdir)/docs/examples/*.train \
	$(srcdir)/docs/images/*.png \
	$(srcdir)/docs/images/*.py \
	$(srcdir)/docs/images/*.svg \
	$(srcdir)/docs/reproduction/*.md \
	$(srcdir)/docs/reproduction/*.py \
	$(srcdir)/docs/reproduction/results/*/*.json \
	$(srcdir)/docs/reproduction/results/*/*.svg

# The schemas of what programs and driver write.
schemasdir = $(pkgdatadir)/schemas
dist_schemas_DATA = %D%/combench-benchmarks-1.schema.json %D%/combench-knee-1.schema.json %D%/combench-model-1.schema.json \
	%D%/combench-prediction-1.schema.json %D%/combench-result-1.schema.json \
	%D%/combench-run-1.schema.json %D%/combench-validation-1.schema.json

# The diagrams of reports.
imagesdir = $(pkgdatadir)/images
dist_images_DATA = \
	%D%/images/pattern-alltoall.svg \
	%D%/images/pattern-congestion.svg \
	%D%/images/pattern-event-building.svg \
	%D%/images/pattern-funnel.svg \
	%D%/images/pattern-multicast.svg \
	%D%/images/pattern-oneway.svg \
	%D%/images/pattern-outfarm.svg \
	%D%/images/pattern-pairs.svg \
	%D%/images/pattern-pipeline.svg \
	%D%/images/pattern-pullfarm.svg \
	%D%/images/pattern-pushfarm.svg \
	%D%/images/pattern-ring.svg \
	%D%/images/pattern-twoway.svg

# Directories for --config, to be used as they are or copied.
note_defaultsdir = $(docdir)/examples/note-defaults
dist_note_defaults_DATA = \
	%D%/examples/note-defaults/network.conf %D%/examples/note-defaults/nodes.conf \
	%D%/examples/note-defaults/machines.conf
two_machinesdir = $(docdir)/examples/two-machines
dist_two_machines_DATA = \
	%D%/examples/two-machines/network.conf %D%/examples/two-machines/nodes.conf \
	%D%/examples/two-machines/machines.conf
