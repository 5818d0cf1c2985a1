/*
 * jfr_configure.h - `hprof jfr configure`: makes settings of recordings from other settings and
 * from choices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct jfr_configure {
    const char *inputs; /* comma-separated files, or default, profile, none; NULL: default */
    const char *output; /* "-": standard output; NULL: custom.jfc */
    unsigned jdk;       /* the JDK of default and profile; 0: the newest that is known */
    bool is_verbose;    /* list the settings that have changed */
};

/** Writes the settings after the choices in `words`, which are NAME=VALUE. Without words and
 * without an output, lists what can be chosen. Returns an enum cmd_result. */
int jfr_configure_run(const struct jfr_configure *c, const char *const *words, size_t count);
