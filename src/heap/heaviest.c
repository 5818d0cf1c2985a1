/*
 * heaviest.c - see heaviest.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaviest.h"

bool heaviest_keep(void *with, graph_object object)
{
    struct heaviest *h = with;
    uint64_t bytes = graph_retained(h->graph, object);
    h->seen++;
    h->bytes += bytes;
    if (h->count == h->room &&
        (h->room == 0 || graph_retained(h->graph, h->objects[h->count - 1]) >= bytes))
        return true;
    uint32_t at = h->count < h->room ? h->count++ : h->count - 1;
    for (; at > 0 && graph_retained(h->graph, h->objects[at - 1]) < bytes; at--)
        h->objects[at] = h->objects[at - 1];
    h->objects[at] = object;
    return true;
}

uint64_t heaviest_rest(const struct heaviest *h)
{
    uint64_t rest = h->bytes;
    for (uint32_t i = 0; i < h->count; i++)
        rest -= graph_retained(h->graph, h->objects[i]);
    return rest;
}
