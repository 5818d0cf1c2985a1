/*
 * counters_text.h - prints counters as lines NAME=VALUE, sorted by name.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "jvm/outside.h"

struct cmd;
struct perfdata;

struct counters_text {
    const char *pattern; /* a part of a name, or a pattern with * or ?; NULL: all counters */
    bool is_long;        /* with unit, kind and stability */
    bool is_json;
    bool is_labelled;           /* a line "PID:" before the counters of each JVM */
    struct outside_files files; /* the files of a core */
};

/** Prints the counters. Returns how many were printed. Errors are those of the stream. */
unsigned counters_text_print(const struct perfdata *p, const struct counters_text *how);
/** Prints the counters of the saved file, the core or all JVMs that `word` names. Returns an exit
 * status. */
int counters_text_print_target(const struct cmd *cmd, const char *word,
                               const struct counters_text *how);
