# Linked to the programs, with the model library.
noinst_LIBRARIES += libworld.a
libworld_a_CPPFLAGS = $(AM_CPPFLAGS)
libworld_a_SOURCES = \
	%D%/measure.c %D%/measure.h \
	%D%/plane.c %D%/plane.h \
	%D%/rank.c %D%/rank.h \
	%D%/record.c %D%/record.h \
	%D%/technology.c %D%/technology.h \
	%D%/world.c %D%/world.h

# The recorder has mailboxes, too.
libcombench_a_SOURCES += %D%/mailbox.c %D%/mailbox.h
