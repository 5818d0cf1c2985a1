/*
 * engine.c - see engine.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include "agent/agent.h"

const struct engine *engine_next(const struct agent *a, int *at)
{
    while (engine_all[*at]) {
        const struct engine *e = engine_all[(*at)++];

        if (e->wanted(&a->options))
            return e;
    }
    return NULL;
}
