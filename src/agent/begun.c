/*
 * begun.c - see begun.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/begun.h"
#include <limits.h>
#include <stdio.h>
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/recording.h"
#include "options/options_group.h"

void begun_say(const struct recording *r)
{
    char place[PATH_MAX], what[256] = "";
    size_t n = 0;

    for (int i = 0; engine_all[i]; i++) {
        const struct engine *e = engine_all[i];

        if (e->begun && options_group_wanted(&r->options, e->options) && n < sizeof(what))
            n += (size_t)snprintf(what + n, sizeof(what) - n, "%s%s", n ? ", " : "", e->begun);
    }
    output_place(&r->output, place);
    if (n)
        log_note("%s from now on, into %s", what, place);
}
