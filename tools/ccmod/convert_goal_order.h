/* The GOAL schedule of one rank: operations and requirements, and their conversion to a sequence.
 */
#ifndef TOOLS_CCMOD_CONVERT_GOAL_ORDER_H
#define TOOLS_CCMOD_CONVERT_GOAL_ORDER_H

#include "tools/ccmod/convert_program.h"

enum { LABEL_BYTES = 64 };

typedef enum { NOT_YET, STARTED, DONE } operation_state;

typedef struct {
    convert_record record;
    char label[LABEL_BYTES];
    size_t number; /* in order of the file */
    operation_state state;
    size_t stage;       /* number of waits and calculations before it */
    size_t counted_for; /* the operation, plus 1, that counted it last */
} goal_operation;

typedef struct {
    char label[LABEL_BYTES], on[LABEL_BYTES];
    size_t operation, target; /* numbers */
    uint32_t line;
    bool start; /* irequires: the target must only have started */
} goal_requirement;

/* A rank being read. */
typedef struct {
    goal_operation *operations;
    size_t count, room;
    goal_operation **by_label;
    goal_requirement *requirements;
    size_t requirement_count, requirement_room;
    uint32_t number;
    bool open;
} goal_rank;

/* Append the records of a rank, with resolved requirements, to the program; `text` is its source,
 * for errors. */
ccmod_status convert_goal_order(convert_program *program, goal_rank *rank,
                                const convert_text *text);

#endif
