/*
 * engine_sites.c - heap=sites: how much was allocated at each place, and how much of it is live.
 *
 * Every table counts from the beginning of the recording. SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_live.h"
#include "agent/alloc/alloc_watch.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "base/plural.h"
#include "format/writer_sites.h"
#include "options/options_sites.h"

/* Facts about the last table, for the line about its quality. */
static struct {
    bool is_collected, no_room;
    int error;
    uint64_t rows;
    uint64_t total[KIND_VALUES];
} last;

static int prepare(const struct options *o)
{
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    return 0;
}

static void set_quality(struct recording *r)
{
    uint32_t left = alloc_classes_left();
    struct alloc_lost lost;
    alloc_lost_of(r, &lost);
    const struct quality_count rows[] = {
        {QUALITY_SITES_SAMPLE, alloc_interval()},
        {QUALITY_SITES_COLLECTED, (uint64_t)last.is_collected},
        {QUALITY_SITES, last.rows},
        {QUALITY_SITES_UNKNOWN, lost.no_row},
        {QUALITY_SITES_SHALLOW, lost.shallow},
        {QUALITY_SITES_UNTAGGED, lost.no_tag},
        {QUALITY_SITES_ASKED, lost.no_walk},
        {QUALITY_SITES_OWN, lost.own},
        {QUALITY_SITES_VALUES, lost.values},
        {QUALITY_SITES_SATURATED, recording_saturated(r)},
    };

    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
    if (alloc_late_threads() > 0)
        recording_set_quality(r, QUALITY_SITES_LATE_THREADS, alloc_late_threads());
    if (left > 0)
        recording_set_quality(r, QUALITY_SITES_CLASSES_WAITING, left);
    recording_put_quality(r);
}

static int table(struct agent *a, struct recording *r, struct writer_sites *t)
{
    int error = alloc_live_table(a, r, t);
    last.error = error;
    last.is_collected = (t->flags & WRITER_SITES_COLLECTED) != 0;
    last.rows = t->count;
    memcpy(last.total, t->total, sizeof(last.total));
    if (error)
        agent_missed(a, error)("no table of allocation sites (%s)", err_text(error));
    return error;
}

static int write_sites(struct agent *a, struct recording *r, uint32_t flags, double cutoff)
{
    struct writer_sites t = {.flags = flags, .cutoff = cutoff};
    int error;
    if (alloc_watch_full()) /* sort by allocation, as not all live objects are known */
        t.flags |= WRITER_SITES_BY_ALLOCATED;
    error = alloc_env() ? table(a, r, &t) : E_UNSUPPORTED;
    if (!error) {
        recording_sites(r, &t);
        alloc_live_keep_changed(r, &t, t.written);
        set_quality(r);
    }
    free(t.rows);
    return error;
}

static void dump(struct agent *a, struct recording *r)
{
    write_sites(a, r, options_sites_of(&r->options)->gc ? WRITER_SITES_COLLECTED : 0,
                r->options.cutoff);
    last.no_room = options_sites_of(&r->options)->gc && !last.is_collected;
}

static int answer(struct agent *a, struct recording *r, const struct net_command *c)
{
    return write_sites(a, r, c->flags, (double)c->cutoff);
}

static const struct engine_command command = {NET_COMMAND_SITES, 0, "alloc sites", answer};

static void say(struct agent *a, struct recording *r)
{
    struct alloc_lost lost;
    alloc_lost_of(r, &lost);
    unsigned long long shallow = lost.shallow, no_row = lost.no_row;

    if (alloc_env() && !last.error)
        log_note("heap=sites: %llu site%s, %llu object%s allocated, %llu live, %s",
                 (unsigned long long)last.rows, plural_s(last.rows),
                 (unsigned long long)last.total[WRITER_SITES_OBJECTS],
                 plural_s(last.total[WRITER_SITES_OBJECTS]),
                 (unsigned long long)last.total[WRITER_SITES_LIVE_OBJECTS],
                 last.is_collected ? "after a forced collection"
                 : last.no_room    ? "nothing collected for it: memory is short"
                                   : "nothing collected for it");
    if (shallow || no_row)
        log_note("heap=sites: room for traces was short: %llu object%s counted at traces of one "
                 "frame, %llu at none; raise mem=",
                 shallow, plural_of(shallow, " is", "s are"), no_row);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    snprintf(ret, ENGINE_STATUS, "sites=%u", atomic_load(&alloc_table()->row_count));
}

static int release(struct agent *a, JNIEnv *env)
{
    memset(&last, 0, sizeof(last));
    return 0;
}

/* If the VM reports no allocations, which a message has said, there is no table. */
static int load(struct agent *a)
{
    return alloc_env() ? 0 : E_UNSUPPORTED;
}

const struct engine engine_sites = {
    .name = "sites",
    .help = "heap=sites: objects allocated and live, by class and stack trace",
    .begun = "allocation sites",
    .dumping = " allocation sites ...",
    .options = &options_sites,
    .owns = {.commands = &command, .command_count = 1, .counts = "sites"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .dump = dump,
    .say = say,
    .status = status,
    .release = release,
};
