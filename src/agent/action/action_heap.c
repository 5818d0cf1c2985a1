/*
 * action_heap.c - the action heap: write the heap to a file of its own, as a recording that
 * contains only a heap dump.
 *
 * If there can be no dump, because memory or the disk has no room for it, the histogram of the heap
 * is written instead (action_histo.c).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/action/action.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include "agent/agent.h"
#include "agent/frozen/frozen_state.h"
#include "agent/frozen/frozen_vm.h"
#include "agent/life/life.h"
#include "agent/log.h"
#include "base/err.h"

extern const struct action action_heap;

enum {
    DISK_SHARE = 20, /* a 20th of the disk stays free, DISK_MOST at most */
    DISK_MOST = 1 << 30,
};

const char *action_heap_word(unsigned with, unsigned without)
{
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_group *g = options_group_all[i];
        unsigned marks = g->marks && g->asks ? g->marks(g->asks->value, g->defaults) : 0;
        if ((marks & with) == with && !(marks & without))
            return g->asked_by;
    }
    return "";
}

int action_heap_write(const struct action_call *c, const char *name, const char *suffix,
                      const char *options)
{
    static uint32_t count; /* only one thread calls this */
    struct life_start how = {.is_command = true, .is_begun = true};
    char which[16] = ""; /* several dumps may begin within one second */
    char *line = NULL;
    uint32_t number;
    int error;
    if (++count > 1)
        snprintf(which, sizeof(which), "-%u", count);
    if (asprintf(&line, "%s,file=hprof-%s-%%p-%%t%s.%s,expand=y,force=n,verbose=n", options, name,
                 which, suffix) < 0)
        return -ENOMEM;
    how.line = line;
    error = life_begin(c->agent, c->agent->vm.java, c->env, &how, &number);
    free(line);

    /* A recording writes its dump when it ends. If the VM is dying, the end of the VM ends it. */
    return error || c->is_dying ? error : life_stop(c->agent, c->env, number);
}

static void prepare(JNIEnv *env)
{
    if (!frozen_vm_keep(env))
        log_note("a trigger that writes the heap: the heap is full already");
}

static unsigned long long megabytes(uint64_t bytes)
{
    return (unsigned long long)(bytes >> 20);
}

/* A dump is hardly larger than the used heap. */
static bool has_disk(const struct action_call *c)
{
    struct statvfs disk;
    uint64_t left, spare, used = frozen_stop_used_bytes(c->env);
    if (statvfs(".", &disk) != 0 || disk.f_blocks == 0)
        return true;
    left = (uint64_t)disk.f_bavail * disk.f_frsize;
    spare = (uint64_t)disk.f_blocks * disk.f_frsize / DISK_SHARE;
    spare = spare < DISK_MOST ? spare : DISK_MOST;
    if (left >= used + spare)
        return true;
    log_error(
        "there is no heap dump: the disk has %llu MB left, and %llu MB are needed (%llu MB of "
        "them stay free)",
        megabytes(left), megabytes(used + spare), megabytes(spare));
    return false;
}

static int write_dump(const struct action_call *c)
{
    char options[128];
    /* Where memory is short, the walk of JVM TI would need more of it than a child. */
    snprintf(options, sizeof(options), "%s,format=b,sites=n%s",
             action_heap_word(OPTIONS_MARK_OBJECTS, 0), c->is_tight ? ",inpause=n" : "");
    return action_heap_write(c, "heap", "hprof", options);
}

static int run(const struct action_call *c)
{
    uint32_t errors = log_errors();
    int error = has_disk(c) ? write_dump(c) : E_LIMIT;
    if (c->is_dying || (!error && log_errors() == errors))
        return error;
    struct action_call instead = *c;

    instead.is_instead = true;
    log_note("the heap histogram is written instead");
    return action_of(OPTIONS_ACTION_HISTO)->run(&instead);
}

const struct action action_heap = {
    .holds = true,
    .prepare = prepare,
    .release = frozen_vm_unkeep,
    .run = run,
};
