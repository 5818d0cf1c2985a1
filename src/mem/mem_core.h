/*
 * mem_core.h - the memory of a dead process: an ELF core file, mapped, never read whole.
 *
 * Pages that are not in the core come from the files that NT_FILE names (core_files.h). A core that
 * was cut (full disk) is read as far as it goes. Writable pages that were cut off are not taken
 * from files, because the process may have changed them.
 * Source: elf(5), core(5), Linux fs/binfmt_elf.c (notes), include/linux/elfcore.h.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "mem/core_files.h"
#include "mem/image.h"

struct mem_core_piece {
    uint64_t start, end; /* addresses in the process */
    uint64_t offset;     /* offset of `start` in the core */
    uint64_t dumped;     /* bytes that the core should have */
    uint64_t present;    /* bytes that the core has: fewer if it was cut */
    bool is_writable;
    const struct image_map *map; /* the file that is mapped here, or NULL */
};

struct mem_core {
    struct mem mem;
    struct image image;
    struct elf_file elf;
    struct core_files files;
    struct core_file **map_files;  /* one for each of image.maps; NULL: not looked for yet */
    struct mem_core_piece *pieces; /* sorted by address */
    uint32_t piece_count, last;
    int signal;          /* the signal that ended the process; 0: none (a snapshot) */
    uint64_t fault_addr; /* for SIGSEGV and similar signals */
    char command[17];    /* name of the program; "": unknown */
    pid_t pid;
    bool is_cut;
};

/**
 * Open a core. `sysroot` and `exe`: see core_files.h; they may be NULL. Borrowed.
 *
 * Errors:  0; -errno; E_FORMAT not an ELF file; E_UNSUPPORTED an ELF file that is not a core;
 *          E_TRUNCATED no note with threads in it; -ENOMEM.
 * Owner:   mem_core_close(), also after an error.
 */
int mem_core_open(const char *path, const char *sysroot, const char *exe,
                  struct mem_core *ret_core);
void mem_core_close(struct mem_core *core);

/**
 * What the core itself has at `addr`: how many bytes from there on, and where they stand in the
 * core. 0: `addr` is not in the core; it may be in a mapped file.
 */
uint64_t mem_core_own(struct mem_core *core, uint64_t addr, uint64_t *ret_offset);
