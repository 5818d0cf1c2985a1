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

void begun_what(const struct recording *r, char ret[BEGUN_WHAT])
{
    const struct engine *e;
    size_t n = 0;
    ret[0] = 0;
    for (int at = 0; (e = engine_next_of(r->engines, &at)) != NULL;)
        if (e->begun && n < BEGUN_WHAT)
            n += (size_t)snprintf(ret + n, BEGUN_WHAT - n, "%s%s", n ? ", " : "", e->begun);
}

void begun_say(const struct recording *r)
{
    char place[PATH_MAX], what[BEGUN_WHAT];
    begun_what(r, what);
    output_place(&r->output, place);
    if (what[0])
        log_note("%s from now on, into %s", what, place);
}
