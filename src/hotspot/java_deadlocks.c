/*
 * java_deadlocks.c - see java_deadlocks.h.
 *
 * A thread waits for one lock at a time, so the graph has one edge per thread. The code follows the
 * edges from each thread and sees whether they come back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_deadlocks.h"
#include "hotspot/java_locks.h"
#include "hotspot/java_threads.h"
#include <stdlib.h>

static bool is_edge(const struct java_lock *lock)
{
    return (lock->kind == JAVA_LOCK_ENTERING || lock->kind == JAVA_LOCK_PARKED) &&
           lock->holder >= 0 && lock->holder != (int32_t)lock->thread;
}

static void add_circle(struct java_locks *l, const int32_t *edges, uint32_t start)
{
    uint32_t count = 0, thread = start;
    do {
        count++;
        thread = (uint32_t)l->rows[edges[thread]].holder;
    } while (thread != start);
    struct java_deadlock *deadlocks =
        reallocarray(l->deadlocks, l->deadlock_count + 1, sizeof(*deadlocks));
    uint32_t *locks = calloc(count, sizeof(*locks));
    if (deadlocks)
        l->deadlocks = deadlocks;
    if (!deadlocks || !locks) {
        free(locks);
        l->out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        locks[i] = (uint32_t)edges[thread];
        thread = (uint32_t)l->rows[edges[thread]].holder;
    }
    deadlocks[l->deadlock_count++] = (struct java_deadlock){locks, count};
}

void java_deadlocks_find(struct java_locks *l)
{
    uint32_t threads = l->threads->count;
    int32_t *edges = malloc(((size_t)threads + 1) * sizeof(*edges));
    uint32_t *seen = calloc((size_t)threads + 1, sizeof(*seen));
    if (!edges || !seen) {
        l->out_of_memory = true;
        goto out;
    }
    for (uint32_t i = 0; i < threads; i++)
        edges[i] = -1;
    for (uint32_t i = 0; i < l->count; i++) {
        if (is_edge(&l->rows[i]))
            edges[l->rows[i].thread] = (int32_t)i;
    }
    for (uint32_t start = 0; start < threads; start++) {
        uint32_t thread = start, round = start + 1;
        while (seen[thread] == 0 && edges[thread] >= 0) {
            seen[thread] = round;
            thread = (uint32_t)l->rows[edges[thread]].holder;
        }
        if (seen[thread] == round && edges[thread] >= 0)
            add_circle(l, edges, thread);
        if (seen[thread] == 0)
            seen[thread] = round;
    }
out:
    free(edges);
    free(seen);
}
