libcombench_a_SOURCES += \
	%D%/crew.c %D%/crew.h \
	%D%/emit.c %D%/emit.h \
	%D%/mailbox.c %D%/mailbox.h \
	%D%/recorder.c %D%/recorder.h
