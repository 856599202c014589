/* Observers that the library brings along: a printer of signals, and the space-time diagram. */
#ifndef CCMOD_OBSERVERS_H
#define CCMOD_OBSERVERS_H

#include <stdint.h>
#include <stdio.h>

#include <ccmod/base.h>
#include <ccmod/network.h>
#include <ccmod/signals.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prints signals, each on a line of its own: clock, name, what it says. A stream that fails ends
 * the evaluation with CCMOD_ERROR_SYSTEM. Zero but for the stream; it must outlive the evaluation.
 */
typedef struct {
    FILE *stream;
    const ccmod_network *network; /* the printer's own: of the evaluation that goes on */
} ccmod_printer;

/* `wanted` as in ccmod_observer; CCMOD_WANTS_ALL prints all fifteen. */
CCMOD_API ccmod_observer ccmod_printer_observer(ccmod_printer *printer, uint32_t wanted);

/* The space-time diagram: what each processor does from its beginning to the end of the last one,
 * and when each message was on its way. It is kept in memory, about 24 bytes for an interval and 64
 * for a message. */
typedef struct ccmod_timeline ccmod_timeline;

/* Keep what happens from `from_us` to `to_us` (HUGE_VAL: the end). Messages that begin or end
 * outside are left out, intervals are cut. Freed by ccmod_timeline_free; NULL is accepted there. */
CCMOD_API ccmod_status ccmod_timeline_create(double from_us, double to_us, ccmod_timeline **out,
                                             ccmod_error *error);
CCMOD_API void ccmod_timeline_free(ccmod_timeline *timeline);

/* For one evaluation; the timeline is complete when that has succeeded. */
CCMOD_API ccmod_observer ccmod_timeline_observer(ccmod_timeline *timeline);

/* A form in which it can be written. */
typedef struct {
    const char *name; /* perfetto */
    const char *help; /* one phrase */
    /* Errors of the stream are the caller's to ask for; CCMOD_ERROR_MEMORY is the only other one.
     */
    ccmod_status (*write)(const ccmod_timeline *timeline, FILE *stream, ccmod_error *error);
} ccmod_timeline_form;

/* NULL-terminated: perfetto, paje, svg. */
extern CCMOD_API const ccmod_timeline_form *const ccmod_timeline_forms[];

#ifdef __cplusplus
}
#endif

#endif
