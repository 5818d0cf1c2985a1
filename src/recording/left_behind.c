/*
 * left_behind.c - see left_behind.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/left_behind.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include "base/proc_ids.h"
#include "recording/manifest.h"
#include "command/say.h"
#include "process/process.h"

enum { ENVIRONMENT_MAX = 1 << 20 };

static bool is_named(const struct manifest *m, pid_t pid)
{
    char *environment;
    ssize_t len = process_file(pid, "environ", ENVIRONMENT_MAX, &environment);
    if (len < 0)
        return false;
    bool is = memmem(environment, (size_t)len, m->path, strlen(m->path)) != NULL;
    free(environment);
    return is && !process_has_ended(pid);
}

/* A live process whose environment names the manifest; 0: none. */
static pid_t find_started(const struct manifest *m)
{
    struct proc_ids all;
    pid_t pid;
    if (proc_ids_open_processes(&all) < 0)
        return 0;
    while ((pid = proc_ids_next(&all)) != 0)
        if (pid != getpid() && is_named(m, pid))
            break;
    proc_ids_close(&all);
    return pid;
}

bool left_behind_say(const struct manifest *m)
{
    bool is_any = false;
    for (size_t i = 0; i < m->open_count; i++) {
        const struct manifest_entry *open = &m->open[i];
        if (process_has_ended((pid_t)open->pid))
            continue;
        say("run: process %ld goes on, and records into '%s' until it ends, or 'hprof stop %ld'",
            open->pid, open->path, open->pid);
        is_any = true;
    }
    pid_t started = is_any || m->count > 0 || m->left_count > 0 ? 0 : find_started(m);
    if (started > 0)
        say("run: what was started goes on as process %d; a JVM there records into the file that "
            "was named",
            (int)started);
    return is_any || started > 0;
}

void left_behind_take_killed(struct manifest *m)
{
    for (size_t i = m->open_count; i-- > 0;) {
        const struct manifest_entry *open = &m->open[i];
        struct stat st;
        if (!process_has_ended((pid_t)open->pid) || stat(open->path, &st) < 0 || st.st_size == 0)
            continue;
        say("run: process %ld was killed; its recording goes so far", open->pid);
        (void)manifest_finish(m, open->pid);
    }
}

char *left_behind_tools(const struct manifest *m)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = m->left_count > 0 ? open_memstream(&text, &len) : NULL;
    if (!out)
        return NULL;
    for (size_t i = 0; i < m->left_count; i++)
        fprintf(out, "%s%s (process %ld)",
                i == 0                  ? ""
                : i + 1 < m->left_count ? ", "
                                        : " and ",
                m->left[i].tool, m->left[i].pid);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
