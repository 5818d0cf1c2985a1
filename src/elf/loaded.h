/*
 * loaded.h - the libraries that this process has loaded, and the tables that lead out of their
 * frames.
 *
 * The list is the dynamic linker's; its counts of additions and removals say whether it has
 * changed. A library's rows (safe/cfi.h) are made when it is first seen. They are kept for ever,
 * because a signal handler may be reading them: 16 bytes for each piece of code, some 10 MB for a
 * libjvm.so. A library that is loaded again uses its old rows. If a file is not the one that was
 * loaded, there is no table for it.
 * Context of everything here: any, not signal; one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "elf/eh_frame.h"
#include "elf/elf_file.h"
#include "elf/elf_functions.h"
#include "safe/cfi_map.h"

/** A library. It is made once and kept for ever. */
struct loaded_library {
    struct loaded_library *next;
    char *path;
    const char *name; /* last part of the path */
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec changed;
    struct elf_file file;
    struct eh_frame frames;
    struct cfi_row *rows;
    uint32_t row_count;
    struct elf_functions functions;
};

/** The place of a library at present. */
struct loaded_place {
    uint64_t bias, base, end;  /* bias: address in memory less address in the file */
    uint64_t index, index_len; /* .eh_frame_hdr in memory */
    char *path;
    struct loaded_library *library; /* NULL: there is no table */
};

/** All loaded libraries, sorted by base. All zero: not read yet. */
struct loaded {
    struct loaded_place *list;
    size_t count, room;
    unsigned long long adds, subs;
    uint32_t looks; /* limited: maps are never freed, and a program may load for ever */
    int failed;
};

/**
 * Look at the loaded libraries again.
 *
 * Returns 1 if they have changed: then *ret_now is what is loaded, and *ret_map is the map for
 * handlers, to be kept for ever. Returns 0 if they are as in `before`, or if there is no memory;
 * then nothing is set.
 * Owner:   loaded_done(ret_now); its libraries stay.
 */
int loaded_look(const struct loaded *before, struct loaded *ret_now, struct cfi_map **ret_map);
void loaded_done(struct loaded *l);

/** The place that holds `pc`, if it has a table; else NULL. */
const struct loaded_place *loaded_place_at(const struct loaded *l, uint64_t pc);
