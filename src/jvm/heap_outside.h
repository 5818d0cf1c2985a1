/*
 * heap_outside.h - the heap of a core, or of a process that is read without its JVM's help: opened,
 * copied and searched; what is missing is said.
 *
 * A process stands only while its heap is copied. Before that its size and the expected stop are
 * said; a stop that would pass the bound of --max-stop is not begun. If the copy takes longer than
 * the bound, the process goes on, and there is no result.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct asking_line;
struct heapimage;
struct heapimage_dump;
struct heapimage_dump_how;

/** The work with the objects that were found. `name` is that of the JVM or core in messages.
 * Returns an exit status, after saying why it is not 0. */
typedef int heap_outside_job(struct heapimage *h, const char *name, void *with);

struct heap_outside {
    bool is_live;         /* only objects that can be reached */
    uint64_t max_stop_ns; /* 0: no bound */
    heap_outside_job *job;
    /** Refuses, before a process is stopped, or a core's heap copied. Returns an exit status, after
     * saying why it is not 0. NULL: no reason. */
    int (*refuse)(const char *name, uint64_t used_bytes, void *with);
    void *with;
};

/** Do the work with each JVM or with the core that the command line names. Returns an exit status:
 * CMD_FAILED also if there is a result from which something is missing. */
int heap_outside_each(const struct asking_line *line, const struct heap_outside *how);
/** Says why the work failed: `error` and h->why. */
int heap_outside_say(const char *name, const struct heapimage *h, int error);
/** When the heap was as it is, in milliseconds since 1970: a core was written then. */
int64_t heap_outside_time_ms(const char *name);
/** Writes the dump of `name` into the file `fd` of `folder`. Errors: negative, after saying why. */
int heap_outside_write(struct heapimage *h, const char *name, const char *folder, int fd,
                       const struct heapimage_dump_how *how, struct heapimage_dump *ret_dump);
/** Says how well a dump could be written; `output` is its name. */
void heap_outside_say_written(const char *name, const char *output, const struct heapimage *h,
                              const struct heapimage_dump *d);
