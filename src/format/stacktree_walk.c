/*
 * stacktree_walk.c - see stacktree_walk.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/stacktree_walk.h"
#include <stdlib.h>

enum { LEVELS_MIN = 64 };

/* A node has a larger number than its parent, so one pass from the last node to the first is
 * enough. */
uint64_t *stacktree_walk_sums(const struct stacktree *t)
{
    uint64_t *sums = calloc((size_t)t->nodes.count + 1, sizeof(*sums));
    for (uint32_t i = t->nodes.count; sums && i > 0; i--) {
        const struct stacktree_node *node = stacktree_node(t, i);
        sums[i] += node->self;
        sums[node->parent] += sums[i];
    }
    return sums;
}

struct stacktree_level *stacktree_walk_enter(struct stacktree_walk *w, uint32_t node)
{
    if (w->depth == w->room) {
        uint32_t room = w->room ? w->room * 2 : LEVELS_MIN;
        struct stacktree_level *levels = reallocarray(w->levels, room, sizeof(*levels));
        if (!levels)
            return NULL;
        for (uint32_t i = w->room; i < room; i++)
            levels[i] = (struct stacktree_level){0};
        w->levels = levels;
        w->room = room;
    }
    struct stacktree_level *level = &w->levels[w->depth];
    int64_t count = stacktree_children(w->tree, node, &level->children, &level->room);

    if (count < 0)
        return NULL;
    level->count = (uint32_t)count;
    level->at = 0;
    w->depth++;
    return level;
}

uint32_t stacktree_walk_next(struct stacktree_walk *w)
{
    struct stacktree_level *level = &w->levels[w->depth - 1];
    if (level->at < level->count)
        return level->children[level->at++];
    w->depth--;
    return 0;
}

void stacktree_walk_done(struct stacktree_walk *w)
{
    for (uint32_t i = 0; i < w->room; i++)
        free(w->levels[i].children);
    free(w->levels);
}
