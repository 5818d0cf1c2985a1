/*
 * options.c - see options.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options.h"
#include <stdlib.h>

void options_done(struct options *o)
{
    free(o->own);
    o->own = NULL;
}

int options_id_bytes(const struct options *o, int large_heap)
{
    if (o->idsize)
        return o->idsize;
    return large_heap ? 8 : 4;
}
