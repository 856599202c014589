# What the tests of tcp and udp share.
ENDS_SOURCES = %D%/ends.c %D%/ends.h
