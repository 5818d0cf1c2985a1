/*
 * engine.c - see engine.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include "agent/agent.h"
#include "agent/recording.h"
#include "options/options_group.h"

const struct engine *engine_next(const struct agent *a, int *at)
{
    while (engine_all[*at]) {
        const struct engine *e = engine_all[*at];
        int is_left_out = a->left_out >> *at & 1;

        ++*at;
        if (!is_left_out && options_group_wanted(&a->options, e->options))
            return e;
    }
    return NULL;
}

void engine_leave_out(struct agent *a, const struct engine *e)
{
    for (int i = 0; engine_all[i]; i++)
        if (engine_all[i] == e)
            a->left_out |= 1u << i;
}

struct recording *engine_recording(const struct agent *a, const struct engine *e, int *at)
{
    while (*at < AGENT_RECORDINGS) {
        struct recording *r = a->recordings[(*at)++];

        if (r && r->is_counting && options_group_wanted(&r->options, e->options))
            return r;
    }
    return NULL;
}
