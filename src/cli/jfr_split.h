/*
 * jfr_split.h - `hprof jfr assemble` and `disassemble`: chunks of several files in one, and of one
 * in several.
 *
 * Source of names and limits: jdk.jfr, Assemble and Disassemble.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct jfr_split {
    uint32_t chunks_max; /* of one file; 0: any number */
    uint64_t bytes_max;  /* likewise */
    const char *folder;  /* where the files go */
};

/** Puts the *.jfr of a folder together, in the order of their names. Returns an enum cmd_status. */
int jfr_split_assemble(const char *repository, const char *output);
/** NAME_0.jfr and so on, each with as many chunks as may be. Returns an enum cmd_status. */
int jfr_split_file(const struct jfr_split *split, const char *path);
