libcombench_a_SOURCES += \
	%D%/command.c %D%/command.h \
	%D%/congest.c %D%/congest.h \
	%D%/impact.c %D%/impact.h \
	%D%/load.c %D%/load.h \
	%D%/members.c %D%/members.h \
	%D%/notes.h %D%/options.h \
	%D%/plan.c %D%/plan.h \
	%D%/row.c %D%/row.h \
	%D%/run.h \
	%D%/team.c %D%/team.h
