/*
 * java_virtuals.h - the virtual threads that are not mounted at the moment.
 *
 * The VM has no list of them. The JDK has one for its own thread dumps (JEP 444): a set of the
 * threads that were started directly, and a set in each container of threads (an executor of
 * virtual threads, a structured task scope). This file reads those sets. With the default settings
 * only one kind of threads is missed: threads of a container that the program cannot reach any
 * more. With -Djdk.trackAllThreads=false, threads that were started directly are missed, too.
 * Source: jdk.internal.vm.ThreadContainers, SharedThreadContainer, jdk.internal.misc.ThreadFlock,
 * java.util.concurrent.ThreadPerTaskExecutor, java.lang.VirtualThread; JDK 21 to 26 agree.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct java_threads;
struct oops;

struct java_virtuals {
    uint64_t containers; /* the class that has the registry of containers; 0: not loaded */
    uint64_t root;       /* the class that has the set of threads started directly; 0: none */
    bool touches_frames; /* call stopped_stack_touch() for each thread that is listed */
};

/** Find the classes. Classes do not move, so one call is enough. */
void java_virtuals_open(struct oops *o, struct java_virtuals *ret_virtuals);

/** Whether there is an unmounted virtual thread. `threads` must already have platform threads. */
bool java_virtuals_any(const struct java_virtuals *v, struct oops *o, struct java_threads *threads);

/**
 * Append the unmounted virtual threads to `threads`, which already has the platform threads. At
 * most `max` are appended; the others are counted in threads->virtual_left_out. Errors: 0, -ENOMEM.
 */
int java_virtuals_read(const struct java_virtuals *v, struct oops *o, uint32_t max,
                       struct java_threads *threads);
