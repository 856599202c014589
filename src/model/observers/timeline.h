/* The space-time diagram of an evaluation, as its forms see it. Times are whole nanoseconds, so
 * that what meets in the model meets in every form. Internal to src/model. */
#ifndef MODEL_OBSERVERS_TIMELINE_H
#define MODEL_OBSERVERS_TIMELINE_H

#include <ccmod/observers.h>

/* After the activities of ccmod.h: a processor whose trace has ended while others go on. */
enum { TIMELINE_IDLE = CCMOD_ACTIVITIES, TIMELINE_ACTIVITIES };

typedef struct {
    int64_t since_ns, until_ns; /* never empty */
    uint32_t processor;
    uint32_t activity;
    uint32_t line; /* of the record; 0: none */
} timeline_interval;

/* A message, or one branch of a multicast. */
typedef struct {
    int64_t start_ns, end_ns;
    uint64_t message; /* its number */
    uint64_t size_bytes;
    double contention; /* over its time on the links, at least 1 */
    uint32_t source, destination;
    uint32_t line;
} timeline_arrow;

struct ccmod_timeline {
    int64_t from_ns, to_ns; /* what is kept; to_ns is brought down to the end */
    char *title;            /* trace and network */
    size_t processors;
    int64_t *reached_ns;          /* of each processor: up to where its intervals go */
    timeline_interval *intervals; /* from GO_END on by beginning and processor */
    size_t interval_count, interval_room;
    timeline_arrow *arrows; /* from GO_END on by beginning and number */
    size_t arrow_count, arrow_room;
};

/* "idle" too. */
const char *ccmod_timeline_activity_name(uint32_t activity);

/* Classes of contention, for colours and the like: 0 for none, the last one for most. */
enum { TIMELINE_CLASSES = 4 };
unsigned ccmod_timeline_class_of(double contention);

typedef struct {
    const char *name;  /* "contention 1 to 2" */
    const char *color; /* #rrggbb, darker with more contention: told apart without colours, too */
    double width;      /* of a line */
} timeline_class;
extern const timeline_class ccmod_timeline_classes[TIMELINE_CLASSES];

/* Colours of activities, told apart by those who see no red or green, and on paper. */
extern const char *const ccmod_timeline_colors[TIMELINE_ACTIVITIES];

#endif
