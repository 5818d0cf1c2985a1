/*
 * jfr_split.h - `hprof jfr assemble` and `disassemble`: put the chunks of several files into one
 * file, and the chunks of one file into several.
 *
 * Source of names and limits: jdk.jfr, Assemble and Disassemble.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct jfr_split {
    uint32_t chunks_max; /* greatest number of chunks of a file; 0: any number */
    uint64_t bytes_max;  /* greatest number of bytes of a file; 0: any number */
    const char *folder;  /* the folder for the files */
};

/** Puts the *.jfr files of a folder together, sorted by name. Returns an enum cmd_result. */
int jfr_split_assemble(const char *repository, const char *output);
/** Writes NAME_0.jfr and so on, each with as many chunks as the limits allow. Returns an enum
 * cmd_result. */
int jfr_split_file(const struct jfr_split *split, const char *path);
