/* The schedule of one rank in GOAL: operations and requirements, and how they become a sequence.
 * Shared by the files convert_goal_*.c alone. */
#ifndef TOOLS_CCMOD_CONVERT_GOAL_H
#define TOOLS_CCMOD_CONVERT_GOAL_H

#include "tools/ccmod/convert_forms.h"

enum { LABEL_BYTES = 64 };

typedef enum { NOT_YET, STARTED, DONE } operation_state;

typedef struct {
    convert_record record;
    char label[LABEL_BYTES];
    size_t number; /* in order of the file */
    operation_state state;
    size_t stage;       /* how many waits and calculations were before it */
    size_t counted_for; /* the operation, plus 1, that has counted it last */
} goal_operation;

typedef struct {
    char label[LABEL_BYTES], on[LABEL_BYTES];
    size_t operation, target; /* numbers */
    uint32_t line;
    bool start; /* irequires: the target has only to have started */
} goal_requirement;

/* A rank that is being read. */
typedef struct {
    goal_operation *operations;
    size_t count, room;
    goal_operation **by_label;
    goal_requirement *requirements;
    size_t requirement_count, requirement_room;
    uint32_t number;
    bool open;
} goal_rank;

/* Add the records of a rank whose requirements are resolved to the program; `text` is where it was
 * read, for errors. */
ccmod_status convert_goal_order(convert_program *program, goal_rank *rank,
                                const convert_text *text);

/* Writing: what stands before all ranks, and one rank. */
void convert_goal_head(FILE *stream, const ccmod_workload *workload);
ccmod_status convert_goal_rank(FILE *stream, convert_walk *walk, uint32_t rank, ccmod_error *error);

#endif
