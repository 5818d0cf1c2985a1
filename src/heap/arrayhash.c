/*
 * arrayhash.c - see arrayhash.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/arrayhash.h"
#include "base/splitmix.h"
#include "heap/graph_parts.h"
#include "heap/samecontent.h"

enum { WORD = 8 };

static bool are_zeros(const unsigned char *bytes, size_t len)
{
    for (; len >= WORD; bytes += WORD, len -= WORD) {
        uint64_t word;
        memcpy(&word, bytes, sizeof(word));
        if (word != 0)
            return false;
    }
    for (size_t i = 0; i < len; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static bool visit(void *with, const struct graph_info *object)
{
    struct arrayhash *h = with;
    if (object->kind != GRAPH_PRIMITIVE_ARRAY || object->number >= h->hashes.rows)
        return true;
    uint64_t hash = splitmix_mix((uint64_t)object->element_type << 40 ^ object->bytes);
    bool is_zero = object->bytes > 0;
    for (uint64_t done = 0; done < object->bytes;) {
        uint64_t left = object->bytes - done;
        size_t piece = left < GRAPH_SEEN_BYTES ? (size_t)left : GRAPH_SEEN_BYTES;
        const unsigned char *bytes = graph_value_see(h->graph, object->at + done, piece);
        if (!bytes)
            return true;
        is_zero = is_zero && are_zeros(bytes, piece);
        hash = samecontent_hash(hash, bytes, piece);
        done += piece;
    }
    hash &= ~ARRAYHASH_MARKS;
    heaptable_set(&h->hashes, object->number,
                  is_zero                  ? ARRAYHASH_ZEROS
                  : hash > ARRAYHASH_ZEROS ? hash
                                           : 2);
    return true;
}

int arrayhash_make(struct arrayhash *h, struct graph *g)
{
    *h = (struct arrayhash){.graph = g};
    int error = heaptable_init(&h->hashes, &g->store, graph_count(g), sizeof(uint64_t));
    return error < 0 ? error : graph_each_object(g, visit, h);
}

void arrayhash_done(struct arrayhash *h)
{
    heaptable_done(&h->hashes);
}
