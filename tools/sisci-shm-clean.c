/* sisci-shm-clean: list the shared objects of libsisci-shm that belong to this user, and remove
 * those whose owners have ended. Objects of running processes are never touched. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sisci/registry.h"

static const char usage[] = "usage: sisci-shm-clean [--dry-run] [--quiet] [--help] [--version]\n"
                            "\n"
                            "List the shared objects of libsisci-shm that belong to this user, and "
                            "remove those that processes\n"
                            "left behind when they ended. Objects in use are never touched.\n"
                            "\n"
                            "  -n, --dry-run  only say what would be removed\n"
                            "  -q, --quiet    list nothing\n"
                            "  -h, --help     print this text\n"
                            "  -V, --version  print the version\n";

typedef struct {
    bool dry_run;
    bool quiet;
} clean_options;

/* Print one line: name, kind, bytes, owner, and the action. */
static void print_object(const sisci_name *name, const char *fate)
{
    static const struct {
        sisci_kind kind;
        const char *text;
    } kinds[] = {
        {SISCI_KIND_PROCESS, "process"},
        {SISCI_KIND_SEGMENT, "segment"},
        {SISCI_KIND_MEMBER, "multicast member"},
        {SISCI_KIND_GROUP, "multicast memory"},
        {SISCI_KIND_PRIVATE, "private segment"},
        {SISCI_KIND_INTERRUPT, "interrupt"},
        {SISCI_KIND_DATA_INTERRUPT, "data interrupt"},
    };
    const char *kind = "unknown";
    sisci_object object;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].kind == sisci_name_kind(name))
            kind = kinds[i].text;
    printf("%s  %s  ", name->text, kind);
    if (sisci_object_open(name, &object) == SISCI_OBJECT_OK) {
        printf("%zu bytes  pid %" PRId64 "  %s\n", object.bytes, object.head->owner.pid, fate);
        sisci_object_close(&object);
    } else
        printf("incomplete  %s\n", fate);
}

/* List all objects of this user and remove the stale ones. The registry is locked. False: see
 * errno. */
static bool clean_objects(const clean_options *options)
{
    sisci_name user = sisci_name_user(), lock = sisci_name_lock();
    sisci_names all, left;
    bool *stale;

    if (!sisci_names_list(&user, &all))
        return false;
    stale = calloc(all.count + 1, sizeof(*stale));
    if (stale == NULL) {
        sisci_names_free(&all);
        return false;
    }
    sisci_objects_find_dead(&all, stale);
    sisci_objects_find_stale(&all, stale);
    for (size_t i = 0; i < all.count; i++) {
        if (sisci_name_kind(&all.names[i]) == 0)
            continue;
        if (!options->quiet)
            print_object(&all.names[i], !stale[i]          ? "in use"
                                        : options->dry_run ? "stale"
                                                           : "removed");
        if (stale[i] && !options->dry_run)
            sisci_object_unlink(&all.names[i]);
    }
    sisci_names_free(&all);
    free(stale);

    /* Remove the lock last, when nothing else is left: a process that waits for it notices, and
     * creates a new one. */
    if (!options->dry_run && sisci_names_list(&user, &left)) {
        if (left.count == 1 && strcmp(left.names[0].text, lock.text) == 0)
            sisci_object_unlink(&lock);
        sisci_names_free(&left);
    }
    return true;
}

/* Returns -1 to continue, else the exit status. */
static int parse(int count, char **arguments, clean_options *options)
{
    static const struct option names[] = {{"dry-run", no_argument, NULL, 'n'},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'V'},
                                          {NULL, 0, NULL, 0}};

    for (;;) {
        switch (getopt_long(count, arguments, "nqhV", names, NULL)) {
        case 'n':
            options->dry_run = true;
            break;
        case 'q':
            options->quiet = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        case 'V':
            puts("sisci-shm-clean " PACKAGE_VERSION);
            return 0;
        case -1:
            if (optind == count)
                return -1;
            fprintf(stderr,
                    "sisci-shm-clean: cannot use '%s': there are options only; see --help\n",
                    arguments[optind]);
            return 2;
        default:
            fputs("sisci-shm-clean: see --help for the options\n", stderr);
            return 2;
        }
    }
}

static int close_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "sisci-shm-clean: cannot write to standard output: %s; redirect it to a file\n",
            errno == EBADF ? "it is closed" : strerror(errno));
    return 1;
}

int main(int count, char **arguments)
{
    clean_options options = {0};
    int status = parse(count, arguments, &options);
    bool done;
    int lock;

    if (status >= 0)
        return close_output(status);
    if (!sisci_registry_lock(&lock)) {
        char reason[256];

        sisci_registry_explain(errno, reason, sizeof(reason));
        fprintf(stderr, "sisci-shm-clean: %s\n", reason);
        return 1;
    }
    done = clean_objects(&options);
    if (!done)
        fprintf(stderr, "sisci-shm-clean: cannot list /dev/shm: %s\n", strerror(errno));
    sisci_registry_unlock(lock);
    return close_output(done ? 0 : 1);
}
