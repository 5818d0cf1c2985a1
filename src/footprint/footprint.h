/*
 * footprint.h - where the resident memory of a JVM is: one reading, and its sums by row.
 *
 * The kernel says how much of each mapping is resident (process/smaps.h). The files of this folder
 * find out what lies where: each claims ranges of addresses for a row. footprint_sum() gives each
 * resident byte to the claim that holds it, and what nobody claims to FOOTPRINT_OTHER; so the rows
 * add up to the sum of the mappings, always. If two claims overlap, the one of the earlier batch
 * counts.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "heapwalk/heap.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"
#include "mem/mem_live.h"
#include "process/smaps.h"

enum footprint_row {
#define FOOTPRINT(id, key, name, help) FOOTPRINT_##id,
#include "footprint/footprint.def"
#undef FOOTPRINT
    FOOTPRINT_ROWS,
};

struct footprint_words {
    const char *key, *name, *help;
};

extern const struct footprint_words footprint_words[FOOTPRINT_ROWS];

/** Which allocator serves malloc(). */
enum footprint_allocator {
    FOOTPRINT_GLIBC,
    FOOTPRINT_MUSL,
    FOOTPRINT_FOREIGN, /* a library in front of libc's: `allocator_name` */
    FOOTPRINT_UNKNOWN,
};

/** A range that belongs to a row. */
struct footprint_claim {
    uint64_t start, end;
    enum footprint_row row;
};

struct footprint_claims {
    struct footprint_claim *rows;
    uint32_t count, room;
};

/** Bytes. */
struct footprint_sum {
    uint64_t count; /* of threads, buffers, files, regions: what the row counts */
    uint64_t reserved, committed, resident, swapped, huge;
};

/** A file, or a piece of memory that no row explains. */
struct footprint_part {
    enum footprint_row row;
    const char *path; /* in the smaps; "": none */
    uint64_t start, end;
    bool can_read, can_write, can_execute;
    struct footprint_sum sum;
};

/** What is in no row: it is no resident memory of the process. Bytes. */
struct footprint_beside {
    uint64_t page_tables, kernel_stacks;
};

struct footprint_heaps {
    enum footprint_allocator allocator;
    char name[64];   /* of the library, if it is FOOTPRINT_FOREIGN */
    uint64_t arenas; /* without the main heap */
};

/** Direct buffers: what the JDK counts (java.nio.Bits), and whether each of them could be found. */
struct footprint_direct {
    bool is_counted, is_listed;
    uint64_t bytes, count;
};

/** The VM, read from its memory. */
struct footprint_jvm {
    bool is_read;     /* otherwise only facts of the kernel are there */
    char why_not[96]; /* it could not be read */
    struct mem_live live;
    struct target target;
    struct oops oops;
    struct heap heap;
    bool has_oops, has_heap;
    uint64_t data_start, data_end; /* of libjvm.so; 0: not known */
};

struct footprint {
    pid_t pid, task;
    struct smaps smaps;
    uint64_t rollup; /* Rss of smaps_rollup */
    struct footprint_sum sums[FOOTPRINT_ROWS], total;
    struct footprint_part *files, *others; /* the largest resident part comes first */
    uint32_t file_count, other_count;
    struct footprint_beside beside;
    struct footprint_heaps heaps;
    struct footprint_direct direct;
    struct footprint_jvm vm;
    struct footprint_claims batch; /* claims that are being made */
    struct footprint_claims done;  /* sorted, without overlaps */
    bool is_bad;                   /* there was no memory: the reading is worth nothing */
};

/**
 * Read process `pid`.
 * Errors:  0; -ESRCH: there is no such process, or it has ended; -EACCES, -EPERM: we may not look;
 *          -ENOMEM; another -errno. If only the VM cannot be read, that is no error
 *          (vm.is_read).
 * Owner:   footprint_done(), also after an error.
 */
int footprint_read(pid_t pid, struct footprint *ret);
void footprint_done(struct footprint *f);

/* ---- for the files of this folder */

/** Claim a range; an empty one is left out. */
void footprint_claim(struct footprint *f, uint64_t start, uint64_t end, enum footprint_row row);
/** End a batch: where its claims overlap each other, the first in order of addresses counts. */
void footprint_settle(struct footprint *f);
/** The row of the settled claim that holds the address; FOOTPRINT_ROWS: none. *ret_end is where the
 * answer changes: the end of the claim, or the start of the next one (UINT64_MAX: there is none).
 */
enum footprint_row footprint_claimed_by(const struct footprint *f, uint64_t address,
                                        uint64_t *ret_end);
bool footprint_is_claimed(const struct footprint *f, uint64_t address);
/** The anonymous mapping at `address` that is not shared; NULL: there is none. */
const struct smaps_region *footprint_anonymous(const struct footprint *f, uint64_t address);
/** Read memory. Returns whether it could be read. */
bool footprint_load(struct footprint *f, uint64_t address, void *dst, size_t len);

/** Heap and code cache (footprint_vm.c). */
void footprint_vm(struct footprint *f);
/** What the VM reserved besides: metaspace, class space, structures of the collector
 * (footprint_chase.c). */
void footprint_chase(struct footprint *f);
/** Stacks (footprint_threads.c): of Java threads by their bounds; of other threads the mapping in
 * which the stack pointer is. */
void footprint_threads_java(struct footprint *f);
void footprint_threads_other(struct footprint *f);
/** Direct buffers (footprint_buffers.c). */
void footprint_buffers(struct footprint *f);
/** Memory of malloc() (footprint_malloc.c): whose malloc() it is, its heap and arenas, its large
 * blocks in what nobody has claimed. */
void footprint_malloc_look(struct footprint *f);
void footprint_malloc_arenas(struct footprint *f);
void footprint_malloc_blocks(struct footprint *f);
/** The zeroed data of libraries, behind what their files have (footprint_files.c). */
void footprint_files_bss(struct footprint *f);
/** The row of mapping `i` by its path; FOOTPRINT_OTHER: the path says nothing. */
enum footprint_row footprint_files_row(const struct smaps *s, uint32_t i);
/** Sums by row, file and piece (footprint_sums.c). */
int footprint_sums(struct footprint *f);
