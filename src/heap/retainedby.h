/*
 * retainedby.h - what all objects of a group retain together: of a class, of an allocation site.
 *
 * An object counts for its group unless it lies below another object of that group in the tree of
 * dominators. So the sum of a group is what would be freed if all its objects were.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/bitrank.h"
#include "heap/graph.h"
#include "heap/heaptable.h"

#define RETAINEDBY_NONE (UINT32_MAX) /* the object is in no group */

struct retainedby_row {
    uint64_t retained;
    graph_object largest; /* of the group; GRAPH_NONE: none is reachable */
};

/** Objects that are in a second group besides. */
struct retainedby_second {
    struct bitrank objects; /* sealed */
    const uint32_t *group;  /* of each of them, in the order of their numbers */
};

/**
 * Makes the table of the groups of all objects: RETAINEDBY_NONE for each. There will be `groups` of
 * them at most. It takes two bytes for each object if that is enough.
 *
 * Errors: 0; E_LIMIT; -errno. Owner: heaptable_done(), also after an error.
 */
int retainedby_init(struct graph *g, uint32_t groups, struct heaptable *ret_group);
/**
 * Sums up. `group` has a number below `groups` for each object of the graph, or RETAINEDBY_NONE;
 * `ret_rows` has `groups` rows. `second` NULL: no object is in two groups; the largest object of a
 * group is none that is there for its second one. Among equal ones it is the one with the lowest
 * number. To be called after graph_dominate().
 *
 * Errors: 0; E_LIMIT: the memory is too small; -errno.
 */
int retainedby_sum(struct graph *g, const struct heaptable *group, uint32_t groups,
                   const struct retainedby_second *second, struct retainedby_row *ret_rows);

/** The group of an object. */
static inline uint32_t retainedby_group(const struct heaptable *group, graph_object object)
{
    uint64_t v = heaptable_get(group, object);
    return v == UINT16_MAX && group->row_shift == 1 ? RETAINEDBY_NONE : (uint32_t)v;
}
