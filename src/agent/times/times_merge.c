/*
 * times_merge.c - see times_merge.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_merge.h"
#include "agent/times/times_node.h"
#include "agent/times/times_paths.h"

/* Add the calls of `n` to the node `to`. */
static void add_to(struct times_node_view v, struct times_node *to, const struct times_node *n)
{
    uint32_t at = times_node_index(v, to), from = times_node_index(v, n);
    for (int place = 0; place < TIMES_NODE_PLACES; place++) {
        if (!times_node_has_joined(place))
            continue;
        struct times_node_base *base = times_node_base_at(v, place, at);
        const struct times_node_base *old = times_node_base_at(v, place, from);

        if (old->count || old->time || old->made) {
            base->count += old->count;
            base->time += old->time;
            base->made += old->made;
        }
    }
    times_node_add(to, n->count, n->time, n->made);
    times_node_add_spread(to, times_node_spread(n));
}

/* During the merge the field `last` of a node points to the node that it was added to. */
struct times_node *times_merge(struct times_paths *dead, struct times_paths *from)
{
    struct times_node *free_ones = NULL, *next, *newest = dead->newest;
    struct times_node_view v = times_node_view();
    from->root->last = dead->root;
    for (struct times_node *n = from->root->next; n; n = next) {
        struct times_node *caller = n->parent->last, *to = NULL;
        next = n->next;
        if (!times_node_is_shared(caller)) {
            to = times_paths_find(dead, caller, n->id);
            if (!to && times_paths_adopt(dead, n, caller)) {
                n->last = n;
                continue;
            }
        }
        if (!to)
            to = times_node_of_method(n->id);
        if (to)
            add_to(v, to, n);
        n->last = to ? to : &times_node_none;
        n->next = free_ones;
        free_ones = n;
    }
    for (struct times_node *n = newest->next; n; n = n->next)
        n->last = &times_node_none;
    return free_ones;
}
