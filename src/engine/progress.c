/* One line on a terminal's standard error, written over itself. */
#include "engine/session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Launchers give their ranks a pipe for standard error and pass on what comes: whether a person
 * reads it shows at the launcher's own, where that runs on this host. */
static bool launcher_has_terminal(void)
{
    char link[64], target[64];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)getppid(), STDERR_FILENO);
    length = readlink(link, target, sizeof(target) - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    return strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0;
}

bench_progress bench_progress_start(const bench_session *session, size_t total)
{
    return (bench_progress){.total = total,
                            .started_ns = cb_now_ns(),
                            .shown = session->document != NULL &&
                                     (isatty(STDERR_FILENO) || launcher_has_terminal())};
}

void bench_progress_show(bench_progress *progress, const bench_session *session,
                         const bench_measurement *measurement, size_t participants)
{
    double elapsed_s = (double)(cb_now_ns() - progress->started_ns) / 1e9;
    double each_s =
        progress->done > 0 ? elapsed_s / (double)progress->done : session->options->max_time_s;

    if (progress->shown)
        fprintf(stderr, "\r\033[K[%zu/%zu] cb_%s %s, %zu processors, %zu bytes; about %.0f s left",
                progress->done + 1, progress->total, session->definition->name,
                measurement->mode->name, participants, measurement->size_bytes,
                each_s * (double)(progress->total - progress->done));
    progress->done++;
}

void bench_progress_clear(const bench_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
}
