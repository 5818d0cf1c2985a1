/*
 * trigger_oncgroup.c - oncgroup=N%: fires when the memory cgroup of the process, or one above it,
 * is used to N percent of its limit, before the kernel kills a process of it.
 *
 * A thread of the agent reads the files of the groups ten times a second, and more often near the
 * level. It is not attached to the VM and takes no lock but that of the notes, so it looks while
 * the VM stands still, too. What counts is the working set, as for Kubernetes (base/headroom.h).
 * docs/triggers.md. SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/trigger/trigger.h"
#include "base/err.h"
#include "base/headroom.h"
#include "base/os_thread.h"
#include "options/options_group.h"
#include "options/options_oncgroup.h"
#include "options/options_testing.h"
#include "safe/bell.h"
#include "safe/clock.h"

extern const struct options_group options_oncgroup;

extern const struct trigger trigger_oncgroup;

enum {
    LOOK_MS = 100,
    NEAR_MS = 10, /* between two looks, if less than NEAR percent of the limit are missing */
    NEAR = 10,
    FALL = 5,    /* percent of the limit by which the level must have fallen to be reached again */
    COOL_S = 60, /* between two firings of one watch */
    HUNDRED = 100,
};

static struct {
    struct headroom room; /* open while there is a thread; only the thread reads it */
    struct bell wake;
    pthread_t thread;
    bool has_thread; /* guarded by the agent's lock */
    _Atomic bool is_ending;
} oncgroup;

static unsigned megabytes(uint64_t bytes)
{
    return (unsigned)(bytes >> 20);
}

static uint64_t share_of(const struct headroom_level *level, uint32_t percent)
{
    return level->limit / HUNDRED * percent;
}

/* Fires if the level is reached. Returns whether it is near. */
static bool look_for(struct trigger_watch *w, const struct headroom_level *level)
{
    uint64_t now = clock_monotonic_ns(), wanted = share_of(level, w->percent);
    char *what;
    if (level->used + share_of(level, FALL) < wanted)
        w->is_above = false;
    if (level->used >= wanted && !w->is_above && now >= w->next_ns && trigger_is_live(w) &&
        asprintf(&what,
                 "the working set is %u MB of the %u MB that the memory cgroup may use (%u %%)",
                 megabytes(level->used), megabytes(level->limit),
                 (unsigned)(level->used * HUNDRED / level->limit)) > 0) {
        w->is_above = true;
        w->next_ns = now + (uint64_t)COOL_S * NS_PER_S;
        trigger_thread_fire(w, what, NULL);
    }
    return level->used + share_of(level, NEAR) >= wanted && !w->is_above;
}

static void *watch(void *arg)
{
    struct headroom_level level;
    struct trigger_watch *w;
    agent_exempt_begin();
    while (!atomic_load(&oncgroup.is_ending)) {
        bool is_near = false;
        if (headroom_fullest(&oncgroup.room, &level))
            for (int at = 0; (w = trigger_set_next(&trigger_oncgroup, &at)) != NULL;)
                is_near = look_for(w, &level) || is_near;
        (void)bell_wait(&oncgroup.wake, is_near ? NEAR_MS : LOOK_MS);
    }
    agent_exempt_end();
    return NULL;
}

static void read_share(struct trigger_watch *w)
{
    w->percent = options_oncgroup_percent(w->on.what);
}

static int arm(struct agent *a, JNIEnv *env, struct trigger_watch *w)
{
    struct headroom_level level;
    int error;
    if (oncgroup.has_thread)
        return 0;
    headroom_open(&oncgroup.room, options_testing_of(&a->options)->proc);
    if (!headroom_has_group(&oncgroup.room)) {
        headroom_close(&oncgroup.room);
        log_error("oncgroup=: no memory cgroup of this process can be seen, so its limit is not "
                  "known");
        return E_UNSUPPORTED;
    }
    if (!headroom_fullest(&oncgroup.room, &level))
        log_note("oncgroup=: the memory cgroups of this process have no limit: nothing happens "
                 "until one of them gets a limit");
    atomic_store(&oncgroup.is_ending, false);
    error = os_thread_start(&oncgroup.thread, "HPROF cgroup", watch, NULL);
    oncgroup.has_thread = error == 0;
    if (error) {
        headroom_close(&oncgroup.room);
        log_error("oncgroup=: cannot start the thread that looks: %s", err_text(error));
    }
    return error;
}

/* The thread needs no lock of the caller, and is over within a look. */
static void disarm(struct agent *a)
{
    if (!oncgroup.has_thread)
        return;
    atomic_store(&oncgroup.is_ending, true);
    bell_ring(&oncgroup.wake);
    pthread_join(oncgroup.thread, NULL);
    oncgroup.has_thread = false;
    headroom_close(&oncgroup.room);
}

const struct trigger trigger_oncgroup = {
    .name = "oncgroup",
    .options = &options_oncgroup,
    .is_tight = true,
    .read = read_share,
    .arm = arm,
    .disarm = disarm,
};
