/* The recorded space-time diagram, as its output formats see it. Times are whole nanoseconds, so
 * that events that coincide in the model coincide in every format. Internal to src/model. */
#ifndef MODEL_OBSERVERS_TIMELINE_H
#define MODEL_OBSERVERS_TIMELINE_H

#include <ccmod/observers.h>

/* In addition to the activities of ccmod.h: a processor whose trace has ended while others
 * continue. */
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
    int64_t from_ns, to_ns; /* the recorded time; to_ns is reduced to the end of the evaluation */
    char *title;            /* trace and network */
    size_t processors;
    int64_t *reached_ns;          /* for each processor, the end of its last interval */
    timeline_interval *intervals; /* after GO_END sorted by start and processor */
    size_t interval_count, interval_room;
    timeline_arrow *arrows; /* after GO_END sorted by start and number */
    size_t arrow_count, arrow_room;
};

/* Includes "idle". */
const char *ccmod_timeline_activity_name(uint32_t activity);

/* Classes of contention, for colours: 0 for none, the last one for most. */
enum { TIMELINE_CLASSES = 4 };
unsigned ccmod_timeline_class_of(double contention);

typedef struct {
    const char *name;  /* "contention 1 to 2" */
    const char *color; /* #rrggbb, darker with more contention: distinguishable in grey */
    double width;      /* of a line */
} timeline_class;
extern const timeline_class ccmod_timeline_classes[TIMELINE_CLASSES];

/* Colours of activities, distinguishable with colour blindness and in print. */
extern const char *const ccmod_timeline_colors[TIMELINE_ACTIVITIES];

#endif
