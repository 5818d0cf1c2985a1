/*
 * counters_text.h - counters as lines NAME=VALUE, in the order of their names.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "cli/outside_vm.h"

struct cmd;
struct perfdata;

struct counters_text {
    const char *pattern; /* names that have it, or that fit it where it has * or ?; NULL: all */
    bool is_long;        /* with unit, kind and stability */
    bool is_json;
    bool is_labelled;           /* a line "PID:" before each JVM */
    struct outside_files files; /* of a core */
};

/** Returns how many there were. Errors are the stream's. */
unsigned counters_text_print(const struct perfdata *p, const struct counters_text *how);
/** Prints the counters of every JVM, or of the saved file or core, that `word` means. Returns an
 * exit status. */
int counters_text_print_target(const struct cmd *cmd, const char *word,
                               const struct counters_text *how);
