# Linked to the program that plays traces only, with the model library.
noinst_LIBRARIES += libreplay.a
libreplay_a_CPPFLAGS = $(AM_CPPFLAGS)
libreplay_a_SOURCES = \
	%D%/messages.c %D%/messages.h \
	%D%/player.c %D%/player.h \
	%D%/replay.c %D%/replay.h \
	%D%/script.c %D%/script.h
