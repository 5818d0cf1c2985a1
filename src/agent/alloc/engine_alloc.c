/*
 * engine_alloc.c - with any heap=: every object is given its allocation site.
 *
 * Tables and dumps are written by other engines, from what is known here: alloc.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_live.h"
#include "agent/alloc/alloc_watch.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/recording.h"
#include "base/err.h"
#include "format/hprof_sites.h"
#include "options/options_alloc.h"

static int write_summary(struct agent *a, struct recording *r)
{
    struct hprof_sites t = {.flags = 0};
    int error = alloc_env() ? alloc_live_table(a, &t) : E_UNSUPPORTED;

    if (!error)
        r->output.out.ops->heap_summary(&r->output.out, t.total);
    alloc_live_keep_changed(&t, 0);
    free(t.rows);
    return error;
}

static int request(struct agent *a, JNIEnv *env, struct recording *r,
                   const struct engine_request *asked)
{
    switch (asked->ask) {
    case ENGINE_HEAP_SUMMARY:
        return write_summary(a, r);
    case ENGINE_ALLOC_ON:
    case ENGINE_ALLOC_OFF:
        alloc_pause(asked->ask == ENGINE_ALLOC_OFF);
        return 0;
    case ENGINE_CLEAR_SITES:
        alloc_table_clear(alloc_table());
        return 0;
    case ENGINE_SET_DEPTH:
        alloc_set_depth((int)asked->depth);
        r->options.depth = (int)asked->depth;
        return 0;
    default:
        return E_UNSUPPORTED;
    }
}

static void say(struct agent *a, struct recording *r)
{
    const char *full = alloc_watch_full();

    if (full)
        log_note("heap=: %s: %llu objects have no tag for their site, and are not known to live",
                 full, (unsigned long long)alloc_lost()->no_tag);
}

static void stop(struct agent *a)
{
    alloc_stop();
}

const struct engine engine_alloc = {
    .name = "alloc",
    .help = "heap=: where objects come from",
    .options = &options_alloc,
    .prepare = alloc_prepare,
    .load = alloc_load,
    .start = alloc_start,
    .request = request,
    .say = say,
    .stop = stop,
    .release = alloc_release,
};
