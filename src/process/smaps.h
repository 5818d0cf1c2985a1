/*
 * smaps.h - the mappings of a process and how much of each is in main memory, from the text of
 * /proc/PID/smaps.
 *
 * The kernel writes the text, but names of files in it are another user's: a line break in a name
 * is written as \012, so no name can look like a mapping. Source: proc_pid_smaps(5).
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct smaps_row {
    uint64_t low, high; /* addresses [low, high) */
    uint64_t rss_bytes, swap_bytes;
    bool can_write, can_execute, is_shared;
    uint64_t inode; /* 0: no file */
    const char
        *name; /* in the text; "" : none; "[heap]", "[stack]" and the like are the kernel's */
};

struct smaps {
    struct smaps_row *rows; /* in the order of their addresses */
    size_t count, room;
    uint64_t rss_bytes; /* of all rows */
};

/**
 * Read the mappings. Line breaks in `text`, which has a 0 at text[len], become zeros.
 * Errors:  0; E_FORMAT: this is no such text, and the rows are those in front of the damage;
 *          -ENOMEM.
 * Owner:   smaps_done(), also after an error; the names are in `text`.
 */
int smaps_parse(char *text, size_t len, struct smaps *ret);
void smaps_done(struct smaps *s);
/** The bytes of the line "NAME: N kB" of a text like smaps_rollup; 0: there is none. */
uint64_t smaps_field(const char *text, const char *name);
