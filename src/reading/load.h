/*
 * load.h - reads one profile file into the model.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/window.h"

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
    bool with_threads;   /* keep stacks by thread, if the format has the choice */
    bool with_processes; /* also the processes of the threads */
    bool with_times;     /* also times, if the file has them */
    bool with_contexts;  /* also the contexts, which say what threads worked for */
    const char *by;      /* only this key of the contexts; NULL: all keys */
    bool with_types;     /* also single events with the fields of their types */
    const char *types;   /* only these types: names with *, separated by commas; NULL: all */
    /* Only events of these types, and only those with a stack, as in reader_in.drawn. Then
     * load_open() chooses `kinds` itself. NULL: all. */
    const char *drawn;
    uint32_t kinds;       /* bit N: read events of kind N, others may come too; 0: all */
    bool is_again;        /* damage was reported before */
    struct window window; /* only events in this range of time */
    /* Only samples in these states of threads, separated by commas; NULL: all. */
    const char *states;
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
