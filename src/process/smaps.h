/*
 * smaps.h - the mappings of a process with what of each lies in main memory, as /proc/PID/smaps
 * says.
 *
 * The kernel walks the mappings while the process runs: a file that is read in several pieces is
 * not of one moment. smaps_read() therefore compares the sum with /proc/PID/smaps_rollup, which the
 * kernel makes in one go, and reads again if the two differ.
 * Source: Linux Documentation/filesystems/proc.rst, fs/proc/task_mmu.c.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** A mapping. Sizes are in bytes. */
struct smaps_region {
    uint64_t start, end, offset, inode;
    bool can_read, can_write, can_execute, is_shared;
    const char *path;  /* as the kernel writes it, "" if there is none; in struct smaps */
    uint64_t resident; /* Rss: pages that are mapped now; never more than end - start */
    uint64_t swapped;
    uint64_t huge; /* in pages of hugetlbfs, which no Rss counts */
};

struct smaps {
    struct smaps_region *rows; /* by address, without overlaps */
    uint32_t count;
    char *text; /* the file; the paths of the rows lie in it */
    uint64_t resident;
};

/**
 * Read a text like that of /proc/PID/smaps, which is malloc'ed, ends with a 0, and is changed. A
 * line that makes no sense is passed over, and so is a mapping that overlaps the one before it.
 * Errors:  0; -ENOMEM; E_FORMAT: the text has no mapping.
 * Owner:   takes `text` over, also on failure; smaps_done() frees it, also after an error.
 */
int smaps_parse(char *text, struct smaps *ret_smaps);
/** The sum of a text like that of smaps_rollup. Errors: 0; E_FORMAT. */
int smaps_parse_rollup(const char *text, uint64_t *ret_resident);

/** The resident memory of a process. Errors: as smaps_read(). */
int smaps_rollup(pid_t task, uint64_t *ret_resident);

/**
 * Read the mappings of a process. `*ret_rollup` is the sum of smaps_rollup, read right before or
 * right after the mappings: the one that differs less. It is the sum of the mappings if the kernel
 * has no smaps_rollup (before 4.14).
 * Errors:  0; -ESRCH; -EACCES, -EPERM; -ENOMEM; E_FORMAT; another -errno.
 * Owner:   smaps_done(), also after an error.
 */
int smaps_read(pid_t task, struct smaps *ret_smaps, uint64_t *ret_rollup);
void smaps_done(struct smaps *s);

/** The mapping that holds `address`; NULL: none. */
const struct smaps_region *smaps_at(const struct smaps *s, uint64_t address);
