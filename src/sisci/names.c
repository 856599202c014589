/* Names of shared objects, built and taken apart. No part contains a dot, so that the beginning of
 * a name up to a dot never matches half a part. */
#include "sisci/names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2))) static sisci_name form(const char *format, ...)
{
    sisci_name name;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(name.text, sizeof(name.text), format, arguments);
    va_end(arguments);
    return name;
}

bool sisci_job_is_valid(const char *job)
{
    size_t length = strlen(job);

    return length > 0 && length < SISCI_JOB_BYTES &&
           strspn(job, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               length;
}

sisci_name sisci_name_user(void)
{
    return form("/sisci-shm.%lu.", (unsigned long)geteuid());
}

sisci_name sisci_name_lock(void)
{
    return form("%slock", sisci_name_user().text);
}

sisci_name sisci_name_numbered(const char *job, unsigned node, sisci_kind kind, unsigned number)
{
    return form("%s%s.%u.%c.%08x", sisci_name_user().text, job, node, (char)kind, number);
}

sisci_name sisci_name_of_process(const char *job, unsigned node, sisci_kind kind, unsigned number,
                                 const sisci_process *process, unsigned serial)
{
    return form("%s.%" PRId64 ".%u", sisci_name_numbered(job, node, kind, number).text,
                process->pid, serial);
}

sisci_name sisci_name_members(const char *job, unsigned node, unsigned number)
{
    return form("%s.", sisci_name_numbered(job, node, SISCI_KIND_MEMBER, number).text);
}

sisci_name sisci_name_process(const char *job, unsigned node, const sisci_process *process)
{
    return form("%s%" PRId64, sisci_name_processes(job, node).text, process->pid);
}

sisci_name sisci_name_processes(const char *job, unsigned node)
{
    return form("%s%s.%u.%c.", sisci_name_user().text, job, node, (char)SISCI_KIND_PROCESS);
}

bool sisci_name_begins(const char *name, const sisci_name *beginning)
{
    return strncmp(name, beginning->text, strlen(beginning->text)) == 0;
}

/* Where the letter of the kind stands: the third part after the user's prefix. */
static const char *kind_of(const sisci_name *name)
{
    sisci_name user = sisci_name_user();
    const char *at = name->text;

    if (!sisci_name_begins(at, &user))
        return NULL;
    at += strlen(user.text);
    for (int part = 0; part < 2; part++) {
        at = strchr(at, '.');
        if (at == NULL)
            return NULL;
        at++;
    }
    return at[0] != '\0' && at[1] == '.' ? at : NULL;
}

sisci_kind sisci_name_kind(const sisci_name *name)
{
    const char *kind = kind_of(name);

    return kind != NULL && strchr("psmglid", *kind) != NULL ? (sisci_kind)*kind : (sisci_kind)0;
}

sisci_name sisci_name_members_of(const sisci_name *group)
{
    const char *kind = kind_of(group);

    if (kind == NULL)
        return form("%s", group->text);
    return form("%.*s%c%s.", (int)(kind - group->text), group->text, (char)SISCI_KIND_MEMBER,
                kind + 1);
}
