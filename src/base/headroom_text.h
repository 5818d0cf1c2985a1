/*
 * headroom_text.h - the texts in which Linux says what limits a process: /proc/self/cgroup,
 * mountinfo, and the files of memory cgroups.
 *
 * Only texts: which of them are read, and what they amount to, is headroom.h's. A text that makes
 * no sense says nothing; none is too long or too odd. Source: proc(5), cgroups(7), Linux
 * Documentation/admin-guide/cgroup-v2.rst. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <limits.h>
#include <stdint.h>

enum { HEADROOM_TEXT_LINE = 2 * PATH_MAX, HEADROOM_TEXT_VERSIONS = 3 };

/** The paths of the process's memory cgroups by version of cgroups: [1] and [2]; empty: none. */
struct headroom_text_groups {
    char paths[HEADROOM_TEXT_VERSIONS][HEADROOM_TEXT_LINE];
};

/** Where a hierarchy of memory cgroups is mounted, and the way from there to the process's group.
 */
struct headroom_text_mount {
    int version;
    const char *folder,
        *way; /* parts of the texts that were read; the way begins with / or is "" */
};

/** A line of /proc/self/cgroup, "ID:CONTROLLERS:PATH", without its end. Changes the line. */
void headroom_text_group(char *line, struct headroom_text_groups *groups);
/** A line of mountinfo, without its end: 1 if memory cgroups are there. Changes the line. */
int headroom_text_mount(char *line, const struct headroom_text_groups *groups,
                        struct headroom_text_mount *ret_mount);
/** The number that a limit's or a usage's file holds; UINT64_MAX: "max", no limit, no number. */
uint64_t headroom_text_limit(const char *text);
/** Of the line "NAME NUMBER" or "NAME: NUMBER"; 0 if there is none. */
uint64_t headroom_text_number(const char *text, const char *name);
