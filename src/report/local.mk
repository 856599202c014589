libcombench_a_SOURCES += \
	%D%/columns.c %D%/columns.def %D%/columns.h \
	%D%/escape.c %D%/escape.h \
	%D%/events.c %D%/events.h \
	%D%/forms.c %D%/forms.h \
	%D%/marks.c %D%/marks.h \
	%D%/reading.c %D%/reading.h \
	%D%/report.c %D%/report.h \
	%D%/row.c %D%/row.h \
	%D%/stream.c %D%/stream.h \
	%D%/svg.c %D%/svg.h \
	%D%/text.c \
	%D%/trace.c %D%/trace.h \
	%D%/values.c %D%/values.h
