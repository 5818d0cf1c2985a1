/*
 * image.h - a JVM from outside: its memory, its maps, and the registers of its threads.
 *
 * This is what readers need of a live process (mem_live.h) or of a core (mem_core.h). The readers
 * do not know which of the two they read.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "elf/elf_file.h"
#include "safe/mem.h"
#include "safe/regs.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** The path of the map of the kernel's own library. This library is code of every process, for
 * example clock_gettime(), that comes from no file: its memory is the file. Source: vdso(7). */
#define IMAGE_VDSO "linux-vdso.so.1"

/** A piece of the address space into which a file is mapped. */
struct image_map {
    uint64_t start, end;
    uint64_t offset; /* bytes from the start of the file to `start` */
    char *path;      /* the path in the process; or IMAGE_VDSO */
    bool is_deleted; /* the path names another file now, or none */
};

/** A thread of the operating system. */
struct image_thread {
    pid_t tid;       /* the id that we see */
    pid_t inner_tid; /* the id inside the process's own pid namespace; 0: unknown */
    struct regs regs;
    bool has_regs;
    int nice;
    char name[16]; /* the system's name of the thread; "": unknown */
};

struct image {
    struct mem *mem;
    struct image_map *maps; /* sorted by address */
    uint32_t map_count;
    struct image_thread *threads; /* in a core, the thread that crashed comes first */
    uint32_t thread_count;
    /** Open the file that is mapped at `map`. Errors: 0, -errno, E_*. Owner: elf_file_close(). */
    int (*open_file)(struct image *image, const struct image_map *map, struct elf_file *ret_file);
};

/** Append a map. Takes map.path over, also on failure. Errors: 0, -ENOMEM. */
int image_add_map(struct image *image, struct image_map map);

/** Append a thread, which the caller fills. NULL: no memory. */
struct image_thread *image_add_thread(struct image *image);

/** Sort the maps, which may have been added in any order. */
void image_sort(struct image *image);

/** The map that holds `addr`, or NULL. */
const struct image_map *image_map_at(const struct image *image, uint64_t addr);

/** The next map after `after` (NULL: the first map) that shows the start of a file with the name
 * `name` (last part of the path), or NULL. A file that is loaded may be mapped for reading, too. */
const struct image_map *image_next_named(const struct image *image, const char *name,
                                         const struct image_map *after);

/** The thread with the id `tid` in the process's own pid namespace, or NULL. */
struct image_thread *image_thread_inner(const struct image *image, pid_t tid);

void image_done(struct image *image);

/** bytes of the largest set of registers */
enum { IMAGE_REGS_BYTES_MAX = 272 };

/**
 * Convert registers from the kernel's form (ptrace, NT_PRSTATUS) to struct regs. The CPU is that of
 * the data, not the host's: `machine` is e_machine of ELF.
 * Source: Linux arch/x86/include/asm/user_64.h, arch/arm64/include/uapi/asm/ptrace.h.
 * Errors: 0; E_TRUNCATED; E_UNSUPPORTED the CPU is not known.
 */
int image_read_regs(unsigned machine, const void *bytes, size_t len, struct regs *ret_regs);
