/* Shared by all headers of CCMOD: the version, and errors. */
#ifndef CCMOD_BASE_H
#define CCMOD_BASE_H

#include <stddef.h>

/* The version of these headers. Major: programs have to be changed; minor: something was added. */
#define CCMOD_VERSION_MAJOR 0
#define CCMOD_VERSION_MINOR 3
#define CCMOD_VERSION_PATCH 0
#define CCMOD_VERSION "0.3.0"

/* The shared library exports only functions and variables with this mark. */
#define CCMOD_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library in use; CCMOD_VERSION is that of the headers. */
CCMOD_API const char *ccmod_version(void);

typedef enum {
    CCMOD_OK = 0,
    CCMOD_ERROR_USAGE,      /* the input is wrong */
    CCMOD_ERROR_MEMORY,     /* out of memory */
    CCMOD_ERROR_SYSTEM,     /* a system call failed, such as reading a file */
    CCMOD_ERROR_DATA,       /* the workload cannot end: a deadlock, a receive without a send */
    CCMOD_ERROR_INTERRUPTED /* the progress callback requested the end */
} ccmod_status;

/* Return from the calling function unless `call` returns CCMOD_OK. */
#define CCMOD_TRY(call)                                                                            \
    do {                                                                                           \
        ccmod_status ccmod_try_status = (call);                                                    \
        if (ccmod_try_status != CCMOD_OK)                                                          \
            return ccmod_try_status;                                                               \
    } while (0)

enum { CCMOD_ERROR_BYTES = 1024 };

/* Filled by the function that fails: "FILE:LINE: what was attempted, on what, the cause; what to
 * change", without a newline. Every function with an error parameter accepts NULL. */
typedef struct {
    ccmod_status status;
    size_t line; /* of the file named in the text; 0: none */
    char text[CCMOD_ERROR_BYTES];
} ccmod_error;

/* Fill `error` (unless NULL) in the manner of printf and return `status`; also for networks,
 * workloads and observers of other programs. `file` may be NULL, `line` 0. */
CCMOD_API ccmod_status ccmod_fail(ccmod_error *error, ccmod_status status, const char *file,
                                  size_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#ifdef __cplusplus
}
#endif

#endif
