/*
 * jfr_configure.h - `hprof jfr configure`: settings of recordings, made from others and choices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct jfr_configure {
    const char *inputs; /* comma-separated files, default, profile, none; NULL: default */
    const char *output; /* "-": standard output; NULL: custom.jfc */
    unsigned jdk;       /* whose default and profile; 0: of the newest that is known */
    bool is_verbose;    /* tell which settings have changed */
};

/** `words` are NAME=VALUE. Without words and an output, what can be chosen is listed. Returns an
 * enum cmd_status. */
int jfr_configure_run(const struct jfr_configure *c, const char *const *words, size_t count);
