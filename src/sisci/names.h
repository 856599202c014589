/* Names of shared objects: /sisci-shm.UID.JOB.NODE.KIND.NUMBER[.PID.SERIAL], by which processes of
 * one user and job find each other. The number is that of the segment or interrupt (8 hexadecimal
 * digits), or of the process (decimal). */
#ifndef SISCI_NAMES_H
#define SISCI_NAMES_H

#include <stdbool.h>

#include "sisci/process.h"

enum {
    SISCI_NAME_BYTES = 192, /* below NAME_MAX, the final zero included */
    SISCI_JOB_BYTES = 65    /* of the name of a job, the final zero included */
};

/* Beneath one user's prefix; the letter stands in the name. */
typedef enum {
    SISCI_KIND_PROCESS = 'p',
    SISCI_KIND_SEGMENT = 's',
    SISCI_KIND_MEMBER = 'm', /* a segment that is a member of a multicast group */
    SISCI_KIND_GROUP = 'g',  /* the memory that all members of a group share */
    SISCI_KIND_PRIVATE = 'l',
    SISCI_KIND_INTERRUPT = 'i',
    SISCI_KIND_DATA_INTERRUPT = 'd'
} sisci_kind;

typedef struct {
    char text[SISCI_NAME_BYTES];
} sisci_name;

/* Whether a job may be called so: 1 to 64 of letters, digits, '_' and '-'. */
bool sisci_job_is_valid(const char *job);

/* The beginning of all names of this user. */
sisci_name sisci_name_user(void);

/* The file whose lock serialises creation and removal. */
sisci_name sisci_name_lock(void);

/* SEGMENT, GROUP, INTERRUPT, DATA_INTERRUPT by number. */
sisci_name sisci_name_numbered(const char *job, unsigned node, sisci_kind kind, unsigned number);

/* MEMBER, PRIVATE: one of several with a number; `serial` is unique within the process. */
sisci_name sisci_name_of_process(const char *job, unsigned node, sisci_kind kind, unsigned number,
                                 const sisci_process *process, unsigned serial);

/* The beginning of the names of all members of a group. */
sisci_name sisci_name_members(const char *job, unsigned node, unsigned number);

/* The beginning of the names of all members of the group whose memory is called `group`. */
sisci_name sisci_name_members_of(const sisci_name *group);

/* The process's own object, and the beginning of the names of all processes of a node. */
sisci_name sisci_name_process(const char *job, unsigned node, const sisci_process *process);
sisci_name sisci_name_processes(const char *job, unsigned node);

bool sisci_name_begins(const char *name, const sisci_name *beginning);

/* The kind that a full name says; 0 for the lock, and for what is no such name. */
sisci_kind sisci_name_kind(const sisci_name *name);

#endif
