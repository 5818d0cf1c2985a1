/*
 * java_virtuals.c - see java_virtuals.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_virtuals.h"
#include "hotspot/java_sets.h"
#include "hotspot/java_threads.h"
#include "hotspot/oops.h"
#include "hotspot/stopped_stack.h"

#define CONTAINERS_CLASS "jdk/internal/vm/ThreadContainers"
#define ROOT_CLASS "jdk/internal/vm/ThreadContainers$RootContainer$TrackingRootContainer"

struct walk {
    struct oops *o;
    struct java_threads *threads;
    uint32_t max, count;
    bool touches_frames;
};

enum {
    WAITS = JAVA_THREADS_ALIVE | JAVA_THREADS_WAITING,
    RUNS = JAVA_THREADS_ALIVE | JAVA_THREADS_RUNNABLE,
};

/* States of java.lang.VirtualThread. A thread in any other state runs or is about to run. */
static const struct state_row {
    uint32_t state, status; /* bits of JVM TI's thread state */
} state_rows[] = {
    {0, 0},                                                  /* NEW */
    {4, WAITS | JAVA_THREADS_PARKED},                        /* PARKED */
    {5, WAITS | JAVA_THREADS_PARKED},                        /* PINNED */
    {7, WAITS | JAVA_THREADS_PARKED | JAVA_THREADS_TIMED},   /* TIMED_PARKED */
    {8, WAITS | JAVA_THREADS_PARKED | JAVA_THREADS_TIMED},   /* TIMED_PINNED */
    {13, JAVA_THREADS_ALIVE | JAVA_THREADS_BLOCKED},         /* BLOCKED, since JDK 24 */
    {16, WAITS | JAVA_THREADS_IN_WAIT},                      /* WAIT */
    {18, WAITS | JAVA_THREADS_IN_WAIT | JAVA_THREADS_TIMED}, /* TIMED_WAIT */
    {99, JAVA_THREADS_END},                                  /* TERMINATED */
};

/* A debugger's mark on a thread. */
enum { SUSPENDED = 1 << 8 };

/* A walk that asks for no thread (max 0) ends with this at the first thread. */
enum { IS_THERE = 1 };

static uint32_t status_of(struct oops *o, uint64_t object)
{
    uint32_t state = (uint32_t)oops_get_number(o, object, "state", 4) & ~(uint32_t)SUSPENDED;
    for (unsigned i = 0; i < sizeof(state_rows) / sizeof(*state_rows); i++) {
        if (state_rows[i].state == state)
            return state_rows[i].status;
    }
    return RUNS;
}

/* Add a thread, unless it has a row already: platform threads are in the containers too, and
 * mounted threads are in the rows of their carriers. While ZGC moves an object, the object may be
 * known under two addresses; therefore the id is compared too. */
static int add_thread(void *context, uint64_t object)
{
    struct walk *w = context;
    if (oops_klass(w->o, object) == 0) {
        w->threads->virtual_unreadable++;
        return 0;
    }
    int64_t id = (int64_t)oops_get_number(w->o, object, "tid", 8);
    uint64_t continuation = oops_get_object(w->o, object, "cont");
    if (java_threads_with_object(w->threads, object) >= 0 ||
        java_threads_with_id(w->threads, id) >= 0 || continuation == 0)
        return 0;
    uint32_t status = status_of(w->o, object);
    if (status == JAVA_THREADS_END)
        return 0;
    if (w->max == 0)
        return IS_THERE;
    if (w->count == w->max) {
        w->threads->virtual_left_out++;
        return 0;
    }
    w->count++;
    if (w->touches_frames)
        stopped_stack_touch(w->o, continuation);
    return java_threads_add_virtual(w->o, w->threads, object, status);
}

/* Add the threads of one container. Each kind of container has its own field for the threads. */
static int add_container(void *context, uint64_t reference)
{
    struct walk *w = context;
    uint64_t container = oops_get_object(w->o, reference, "referent");
    uint64_t flock = oops_get_object(w->o, container, "flock");
    uint64_t set = oops_get_object(w->o, flock != 0 ? flock : container, "threads");
    if (set == 0)
        set = oops_get_object(w->o, container, "virtualThreads");
    if (set == 0) /* the container was collected, or had no virtual thread yet */
        return 0;
    return java_sets_each(w->o, set, add_thread, w, &w->threads->virtual_unreadable);
}

void java_virtuals_open(struct oops *o, struct java_virtuals *ret_virtuals)
{
    ret_virtuals->containers = oops_boot_class(o, CONTAINERS_CLASS);
    ret_virtuals->touches_frames = false;
    ret_virtuals->root = ret_virtuals->containers != 0 ? oops_boot_class(o, ROOT_CLASS) : 0;
}

int java_virtuals_read(const struct java_virtuals *v, struct oops *o, uint32_t max,
                       struct java_threads *threads)
{
    struct walk w = {.o = o, .threads = threads, .max = max, .touches_frames = v->touches_frames};
    if (v->containers == 0)
        return 0;
    threads->is_untracked = v->root == 0;
    int error = 0;
    if (v->root != 0) {
        uint64_t direct = oops_get_static(o, v->root, "VTHREADS");
        error = java_sets_each(o, direct, add_thread, &w, &threads->virtual_unreadable);
    }
    if (error == 0) {
        uint64_t registry = oops_get_static(o, v->containers, "CONTAINER_REGISTRY");
        error = java_sets_each(o, registry, add_container, &w, &threads->virtual_unreadable);
    }
    return error;
}

bool java_virtuals_any(const struct java_virtuals *v, struct oops *o, struct java_threads *threads)
{
    struct java_threads seen = *threads; /* a copy: its counts are dropped */
    return java_virtuals_read(v, o, 0, &seen) == IS_THERE;
}
