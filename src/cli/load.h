/*
 * load.h - one profile file, read into the model.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/window.h"

struct format;
struct profile;
struct series;

/** What is wanted of a file. All zero: all of it, its format recognised by its content. */
struct load_how {
    const char *name; /* of the file in messages; NULL: its path */
    const struct format *format;
    uint64_t memory;   /* bytes to be used at most; 0: as many as it takes, of a stream or a packed
                        * file half of what the machine has left */
    bool with_threads; /* of formats that have the choice, stacks by thread */
    bool with_processes;  /* and with the processes that they are of */
    bool with_times;      /* and moments, where files have times */
    bool with_contexts;   /* and what threads worked for */
    const char *by;       /* of that one key; NULL: all */
    bool with_types;      /* and single events with the fields of their types */
    const char *types;    /* of these types, names with * parted by commas; NULL: all */
    const char *drawn;    /* only events of these types, and with a stack; as load.kinds has them */
    uint32_t kinds;       /* bit N: events of kind N, others may come; 0: all */
    bool is_again;        /* damage was said before */
    struct window window; /* what was in it */
    const char *states; /* samples in these states of their threads, parted by commas; NULL: all */
};

struct load {
    const struct format *format; /* what it turned out to be */
    struct profile *profile;     /* what was read, also of a damaged file */
    bool damaged;                /* and that has been said */
    uint32_t kinds;              /* as wanted: 0, all were read */
    uint32_t kinds_met; /* bit N: the file may have events of kind N, which were wanted or not */
};

/**
 * Reads the file at `path`, which may be packed by gzip. A damaged file is no error: what came
 * before the damage is in the model and `damaged` is set. Where the memory does not suffice the
 * smallest stacks become one, if the format allows that, and are counted.
 * Errors: 0, or negative after saying why. Owner: load_close(), also after an error.
 */
int load_open(const char *path, const struct load_how *how, struct load *ret_load);
/**
 * The same for one series: `wanted`, or if that is NULL the first of series_all() that the file
 * has. What else is in the file is not read where it need not be; of a file without that series
 * all of it is. Errors, owner: as above.
 */
int load_open_series(const char *path, const struct load_how *how, const struct series *wanted,
                     struct load *ret_load);
/** Whether there is nothing in it that was counted. */
bool load_is_empty(const struct load *load);
void load_close(struct load *load);
