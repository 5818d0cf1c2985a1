/*
 * headroom_text.h - the texts in which Linux says what limits a process: /proc/self/cgroup,
 * mountinfo, and the files of memory cgroups.
 *
 * This file only parses texts; headroom.h and process_room.h decide which files are read and what
 * their numbers mean together. A text that makes no sense is treated as if it were empty; no text
 * is too long or too odd.
 * Source: proc(5), cgroups(7), Linux Documentation/admin-guide/cgroup-v2.rst.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

enum { HEADROOM_TEXT_LINE = 2 * PATH_MAX, HEADROOM_TEXT_VERSIONS = 3 };

/** The paths of the process's memory cgroups. The index is the version of cgroups, 1 or 2; an empty
 * path: there is no such group. */
struct headroom_text_groups {
    char paths[HEADROOM_TEXT_VERSIONS][HEADROOM_TEXT_LINE];
};

/**
 * The mount of a hierarchy of memory cgroups, and the path from the mount to the process's group.
 */
struct headroom_text_mount {
    int version;
    const char *folder,
        *way; /* begins with / or is ""; both point into the texts that were parsed */
};

/** The files of a memory cgroup of one version, and rows of its memory.stat. */
struct headroom_text_files {
    const char *limit, *usage;                         /* files with one number */
    const char *active, *inactive, *dirty, *writeback; /* rows */
};

/** The index is the version of cgroups. */
extern const struct headroom_text_files headroom_text_files[HEADROOM_TEXT_VERSIONS];

/** The next line that fits into `line`, without its line end; NULL: there is none, or `f` is NULL.
 * Longer lines are skipped: no line that is looked for is that long. */
char *headroom_text_line(FILE *f, char line[HEADROOM_TEXT_LINE]);
/** Parse one line of /proc/self/cgroup, "ID:CONTROLLERS:PATH", without its line end. Changes the
 * line. */
void headroom_text_group(char *line, struct headroom_text_groups *groups);
/** Parse one line of mountinfo, without its line end. Returns 1 if memory cgroups are mounted
 * there. Changes the line. */
int headroom_text_mount(char *line, const struct headroom_text_groups *groups,
                        struct headroom_text_mount *ret_mount);
/** The number in the file of a limit or of a usage. UINT64_MAX: the file says "max", or has no
 * number. */
uint64_t headroom_text_limit(const char *text);
/** The number in the line "NAME NUMBER" or "NAME: NUMBER"; 0 if there is no such line. */
uint64_t headroom_text_number(const char *text, const char *name);
