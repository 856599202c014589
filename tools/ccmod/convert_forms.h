/* The formats of ccmod convert, each in its own files, and their readers. */
#ifndef TOOLS_CCMOD_CONVERT_FORMS_H
#define TOOLS_CCMOD_CONVERT_FORMS_H

#include "tools/ccmod/convert_program.h"

typedef struct {
    const char *name;
    const char *help;
    bool many; /* one file per rank, and one that lists them */
    /* Add the contents of `path` to the program. */
    ccmod_status (*read)(const char *path, double flops_per_us, convert_program *program,
                         ccmod_error *error);
    /* Write the text before all ranks (NULL: none), and one rank. */
    void (*write_head)(FILE *stream, const ccmod_workload *workload);
    ccmod_status (*write_rank)(FILE *stream, convert_walk *walk, uint32_t rank, ccmod_error *error);
} convert_form;

extern const convert_form convert_cct, convert_goal, convert_matrix, convert_ti;

/* Read a stream: for convert_goal, and for one file of convert_ti. */
ccmod_status convert_goal_read(FILE *stream, const char *name, convert_program *program,
                               ccmod_error *error);
ccmod_status convert_ti_read(FILE *stream, const char *name, double flops_per_us,
                             convert_program *program, ccmod_error *error);

#endif
