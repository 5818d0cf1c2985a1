/*
 * engine_alloc.c - heap=: gives every object its allocation site.
 *
 * Other engines write the tables and dumps; they get the sites from alloc.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_live.h"
#include "agent/alloc/alloc_share.h"
#include "agent/alloc/alloc_watch.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "base/plural.h"
#include "format/writer_sites.h"
#include "options/options_alloc.h"

static int write_summary(struct agent *a, struct recording *r, const struct net_command *c)
{
    struct writer_sites t = {.flags = 0};
    int error = alloc_env() ? alloc_live_table(a, r, &t) : E_UNSUPPORTED;
    if (!error)
        recording_summary(r, t.total);
    alloc_live_keep_changed(r, &t, 0);
    free(t.rows);
    return error;
}

static int switch_counting(struct agent *a, struct recording *r, const struct net_command *c)
{
    return alloc_turn(r, c->op == NET_COMMAND_ALLOC_ON);
}

static int clear_sites(struct agent *a, struct recording *r, const struct net_command *c)
{
    alloc_share_clear(alloc_shares(), r->place);
    return 0;
}

static int change_depth(struct agent *a, struct recording *r, const struct net_command *c)
{
    return alloc_env() ? 0 : E_UNSUPPORTED;
}

static const struct engine_command commands[] = {
    {NET_COMMAND_HEAP_SUMMARY, 0, "heap summary", write_summary},
    {NET_COMMAND_CONTROL, NET_COMMAND_ALLOC_ON, "alloc on", switch_counting},
    {NET_COMMAND_CONTROL, NET_COMMAND_ALLOC_OFF, "alloc off", switch_counting},
    {NET_COMMAND_CONTROL, NET_COMMAND_CLEAR_SITES, "clear sites", clear_sites},
    {NET_COMMAND_CONTROL, NET_COMMAND_SET_DEPTH, "set depth", change_depth},
};

static void say(struct agent *a, struct recording *r)
{
    const char *full = alloc_watch_full();
    uint32_t left = alloc_classes_left();
    struct alloc_lost lost;
    alloc_lost_of(r, &lost);
    if (full)
        log_note("heap=: %s: %llu object%s no tag for %s site, and %s not known to live; "
                 "a higher limit of memory has them",
                 full, (unsigned long long)lost.no_tag, plural_of(lost.no_tag, " has", "s have"),
                 plural_of(lost.no_tag, "its", "their"), plural_of(lost.no_tag, "is", "are"));
    if (left > 0)
        log_note("heap=: %u class%s that %s loaded before had not been changed yet: %s arrays "
                 "are not counted; a longer recording has them",
                 left, plural_of(left, "", "es"), plural_of(left, "was", "were"),
                 plural_of(left, "its", "their"));
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    uint32_t left = alloc_classes_left();
    if (left > 0)
        snprintf(ret, ENGINE_STATUS, "classes_left=%u", left);
}

static int retune(struct agent *a)
{
    alloc_set_depth(a->options.depth);
    return 0;
}

static void thread_start(struct agent *a, struct thread *thread)
{
    alloc_thread(a, thread);
}

static void ready(struct agent *a)
{
    alloc_ready();
}

static void stop(struct agent *a)
{
    alloc_stop();
}

const struct engine engine_alloc = {
    .name = "alloc",
    .help = "heap=: where objects come from",
    .options = &options_alloc,
    .owns = {.commands = commands, .command_count = sizeof(commands) / sizeof(commands[0])},
    .sharing = {.join = alloc_join, .part = alloc_part, .retune = retune},
    .prepare = alloc_prepare,
    .load = alloc_load,
    .start = alloc_start,
    .ready = ready,
    .thread_start = thread_start,
    .say = say,
    .status = status,
    .stop = stop,
    .release = alloc_release,
};
