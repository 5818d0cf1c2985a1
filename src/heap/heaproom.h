/*
 * heaproom.h - the memory of a graph: a hard limit for all that grows with the heap.
 *
 * Tables and lists of a graph come from here, straight from the system in whole pages, and their
 * memory goes back at once when they are given back. What would pass the limit is refused, and the
 * refusal keeps how much would have been needed.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heaproom {
    uint64_t limit, used, peak; /* bytes; the limit falls to what the system gives */
    uint64_t lacked;            /* limit that the last refused request would have needed; 0: none */
    uint64_t seed;              /* of the hash tables, whose keys are those of the file */
    /* Makes room for `bytes` more, for example by moving tables into a file. Returns whether
     * something was given back. NULL: nothing can be. */
    bool (*reclaim)(struct heaproom *r, uint64_t bytes);
    void *reclaimer; /* for `reclaim` */
};

enum { HEAPROOM_FIXED = 8 << 20 }; /* bytes for what does not come from the room */

/** An empty room, so that with HEAPROOM_FIXED more the process takes `bytes` at most. */
void heaproom_init(struct heaproom *r, uint64_t bytes);
/** Zeroed memory; NULL: the limit or the system refuses, even after `reclaim`. Owner:
 * heaproom_give(). */
void *heaproom_take(struct heaproom *r, uint64_t bytes);
/** The same without `reclaim`. */
void *heaproom_try(struct heaproom *r, uint64_t bytes);
/** Whether `bytes` more would pass the limit. */
bool heaproom_is_full(const struct heaproom *r, uint64_t bytes);
/** Makes memory of heaproom_take() larger; it may move. `at` NULL: takes new memory. NULL: refused,
 * even after `reclaim`, and `at` is unchanged. */
void *heaproom_grow(struct heaproom *r, void *at, uint64_t bytes, uint64_t new_bytes);
/** The same without `reclaim`. */
void *heaproom_try_grow(struct heaproom *r, void *at, uint64_t bytes, uint64_t new_bytes);
/** Gives back what is behind the first `new_bytes` bytes of memory of heaproom_take(). */
void heaproom_shrink(struct heaproom *r, void *at, uint64_t bytes, uint64_t new_bytes);
/** Gives memory back; `bytes` as it was taken. Does nothing for NULL. */
void heaproom_give(struct heaproom *r, void *at, uint64_t bytes);

/** A list of rows of one size, which grows at its end. All zero: empty. */
struct heaproom_list {
    unsigned char *at;
    uint64_t count;
    uint64_t mapped; /* bytes that were taken */
};

/** Room for one more row of `bytes` at the end; NULL: refused. The rows may move. */
void *heaproom_list_add(struct heaproom_list *list, struct heaproom *r, size_t bytes);
void heaproom_list_done(struct heaproom_list *list, struct heaproom *r);
