/*
 * image.h - a JVM from outside: its memory, what is mapped where, and its threads' registers.
 *
 * What readers above need of a live process (mem_live.h) and of a core (mem_core.h), so that they
 * do not know which of the two they read. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "elf/elf_file.h"
#include "safe/mem.h"
#include "safe/regs.h"
#include <stdbool.h>
#include <sys/types.h>

/** The kernel's own library as a map's path: code of every process, such as clock_gettime(), that
 * comes from no file. Its memory is the file. Source: vdso(7). */
#define IMAGE_VDSO "linux-vdso.so.1"

/** A piece of the address space that shows a file. */
struct image_map {
    uint64_t start, end;
    uint64_t offset; /* of `start` in the file, bytes */
    char *path;      /* as the process saw it; or IMAGE_VDSO */
    bool is_deleted; /* the path names another file by now, or none */
};

/** A thread of the operating system. */
struct image_thread {
    pid_t tid;       /* as we see it */
    pid_t inner_tid; /* as the process itself sees it (pid namespaces); 0 unknown */
    struct regs regs;
    bool has_regs;
    int nice;
    char name[16]; /* as the system has it; "" unknown */
};

struct image {
    struct mem *mem;
    struct image_map *maps; /* by address */
    uint32_t map_count;
    struct image_thread *threads; /* in a core the one that crashed first */
    uint32_t thread_count;
    /** Map the file that lies at `map`. Errors: 0, -errno, E_*. Owner: elf_file_close(). */
    int (*open_file)(struct image *image, const struct image_map *map, struct elf_file *ret_file);
};

/** Append. Takes `path` over, also on failure. Errors: 0, -ENOMEM. */
int image_add_map(struct image *image, struct image_map map);

/** Append a thread, to be filled. NULL: no memory. */
struct image_thread *image_add_thread(struct image *image);

/** Sort the maps; they come in any order. */
void image_sort(struct image *image);

/** The map that holds `addr`, or NULL. */
const struct image_map *image_map_at(const struct image *image, uint64_t addr);

/** The next map behind `after` (NULL: the first) that shows the start of a file whose name (last
 * part of the path) is `name`, or NULL. A file that is loaded may be mapped for reading, too. */
const struct image_map *image_next_named(const struct image *image, const char *name,
                                         const struct image_map *after);

/** The thread that calls itself `tid`, or NULL. */
struct image_thread *image_thread_inner(const struct image *image, pid_t tid);

void image_done(struct image *image);
