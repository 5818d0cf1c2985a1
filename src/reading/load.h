/*
 * load.h - reads one profile file into the model.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/window.h"
#include "format/reader.h"

struct diag;
struct format;
struct profile;
struct series;

/** The parts of a file that are read. All zero: everything, with the format recognised by the
 * content. */
struct load_how {
    const char *name; /* the file's name in messages; NULL: its path */
    const struct format *format;
    /* Bytes to use at most. 0: as many as needed; for a stream or a packed file, half of the memory
     * that the machine has left. */
    uint64_t memory;
    /* Of want.drawn only events with a stack are read; then load_open() chooses want.kinds
     * itself. */
    struct reader_want want;
    bool is_again;        /* damage was reported before */
    struct window window; /* only events in this range of time */
};

struct load {
    const struct format *format; /* the format of the file */
    struct profile *profile;     /* the part that was read, also of a damaged file */
    bool damaged;                /* the file is damaged, which was reported */
    uint32_t kinds;              /* the kinds that were read; 0: all */
    uint32_t kinds_met;          /* bit N: the file may have events of kind N, wanted or not */
};

/**
 * Reads the file at `path`, which may be packed by gzip. A damaged file is not an error: the model
 * has what came before the damage, and `damaged` is set. If the memory is not enough, the smallest
 * stacks are merged into one and counted, if the format allows this.
 * Errors: 0, or negative after `diag` was told why. Owner: load_close(), also after an error.
 */
int load_open(const char *path, const struct load_how *how, struct diag *diag,
              struct load *ret_load);
/**
 * Works like load_open(), for one series: `wanted`, or the first of series_all() that the file has
 * if `wanted` is NULL. Other parts of the file are skipped if possible. If the file does not have
 * that series, all of it is read. Errors, owner: as above.
 */
int load_open_series(const char *path, const struct load_how *how, const struct series *wanted,
                     struct diag *diag, struct load *ret_load);
/** Whether the profile has no counts. */
bool load_is_empty(const struct load *load);
void load_close(struct load *load);
