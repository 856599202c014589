/* What all headers of CCMOD share: the version, and how a function that fails says why. */
#ifndef CCMOD_BASE_H
#define CCMOD_BASE_H

#include <stddef.h>

/* The version of these headers. Major: programs have to be changed; minor: something was added. */
#define CCMOD_VERSION_MAJOR 0
#define CCMOD_VERSION_MINOR 2
#define CCMOD_VERSION_PATCH 0
#define CCMOD_VERSION "0.2.0"

/* Every function and variable with this mark is exported by the shared library, and nothing else
 * is. */
#define CCMOD_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that runs, as CCMOD_VERSION is that of the headers. */
CCMOD_API const char *ccmod_version(void);

typedef enum {
    CCMOD_OK = 0,
    CCMOD_ERROR_USAGE,      /* the input is wrong */
    CCMOD_ERROR_MEMORY,     /* not enough memory */
    CCMOD_ERROR_SYSTEM,     /* the operating system refused, such as to read a file */
    CCMOD_ERROR_DATA,       /* the workload cannot end: a deadlock, a receive without a send */
    CCMOD_ERROR_INTERRUPTED /* the progress callback asked for the end */
} ccmod_status;

/* Return from the calling function unless `call` gives CCMOD_OK. */
#define CCMOD_TRY(call)                                                                            \
    do {                                                                                           \
        ccmod_status ccmod_try_status = (call);                                                    \
        if (ccmod_try_status != CCMOD_OK)                                                          \
            return ccmod_try_status;                                                               \
    } while (0)

enum { CCMOD_ERROR_BYTES = 1024 };

/* Filled by the function that fails: "FILE:LINE: what was attempted, on what, the cause; what to
 * change", without a newline. Every function that takes one accepts NULL. */
typedef struct {
    ccmod_status status;
    size_t line; /* of the file that the text names; 0 where there is none */
    char text[CCMOD_ERROR_BYTES];
} ccmod_error;

/* Fill `error` (unless NULL) by printf and return `status`: for networks, workloads and observers
 * that are written elsewhere, too. `file` may be NULL, `line` 0. */
CCMOD_API ccmod_status ccmod_fail(ccmod_error *error, ccmod_status status, const char *file,
                                  size_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#ifdef __cplusplus
}
#endif

#endif
