/*
 * java_virtuals.h - the virtual threads that no thread carries at the moment.
 *
 * The VM has no list of them. The JDK does, for its own thread dumps (JEP 444): a set of the
 * threads that were started directly, and a set in each container of threads (an executor of
 * virtual threads, a structured task scope). Those sets are read here. Missed are: threads that
 * were started directly in a VM with -Djdk.trackAllThreads=false, and threads of a container that
 * is no longer reachable by the program; nothing else on stock settings. Source:
 * jdk.internal.vm.ThreadContainers, SharedThreadContainer, jdk.internal.misc.ThreadFlock,
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
    uint64_t containers; /* the class that has the registry of containers; 0 not loaded */
    uint64_t root;       /* the class that has the set of threads started directly; 0 not loaded */
    bool touches_frames; /* java_chunks_touch() each thread that is listed */
};

/** Find the classes. They stay where they are, so once is enough. */
void java_virtuals_open(struct oops *o, struct java_virtuals *ret_virtuals);

/** Whether there is one. Context: threads->platform_count rows are read. */
bool java_virtuals_any(const struct java_virtuals *v, struct oops *o, struct java_threads *threads);

/**
 * Append the unmounted virtual threads to `threads`, of which the platform threads are read.
 * At most `max`; the others are counted in threads->virtual_left_out. Errors: 0, -ENOMEM.
 */
int java_virtuals_read(const struct java_virtuals *v, struct oops *o, uint32_t max,
                       struct java_threads *threads);
