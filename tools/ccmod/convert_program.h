/* Programs: what each rank does, in memory, as the readers of forms make it. */
#ifndef TOOLS_CCMOD_CONVERT_PROGRAM_H
#define TOOLS_CCMOD_CONVERT_PROGRAM_H

#include <ccmod/ccmod.h>

enum { CONVERT_RANKS = 1 << 22 };

#define CONVERT_ANY_TAG INT64_C(-1)
#define CONVERT_LARGEST_SIZE (UINT64_C(1) << 53)
#define CONVERT_LARGEST_TIME_US 1e15

typedef struct {
    ccmod_record_kind kind;
    uint32_t peer; /* or CCMOD_ANY */
    uint64_t size_bytes;
    double time_us;
    int64_t tag; /* or CONVERT_ANY_TAG; lost in a trace, which has none */
    uint32_t line;
} convert_record;

typedef struct {
    convert_record *records;
    size_t count, room;
    size_t next; /* of the workload */
} convert_rank;

typedef struct {
    char *name; /* of the file */
    convert_rank *ranks;
    size_t rank_count, rank_room;
} convert_program;

ccmod_status convert_program_open(const char *name, convert_program **out, ccmod_error *error);
void convert_program_free(convert_program *program); /* NULL is accepted */

/* Rank `number` exists, and all below; at most CONVERT_RANKS. */
ccmod_status convert_program_reach(convert_program *program, size_t number, ccmod_error *error);

/* One more record of a rank that exists. */
ccmod_status convert_program_add(convert_program *program, size_t rank,
                                 const convert_record *record, ccmod_error *error);

/* An error, with file and line, where a message is with a rank that does not exist; or where tags
 * say otherwise than that messages of a pair match first come, first served, as those of a trace
 * do. */
ccmod_status convert_program_check(const convert_program *program, ccmod_error *error);

/* A workload of the program, which must outlive it. */
ccmod_workload convert_program_workload(convert_program *program);

#endif
