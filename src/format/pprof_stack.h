/*
 * pprof_stack.h - the frames of a sample of profile.proto, from the tables of the file.
 *
 * In files of hprof the mapping says whose code a frame is. In other files the source file, the
 * library or the name of the function says it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/frame_list.h"
#include "profile/profile.h"

struct pprof_tables;

enum {
    PPROF_STACK_MAX = 1 << 16, /* frames */
    PPROF_LINES_MAX = 1 << 10, /* lines of a location: a call and the calls inlined into it */
    PPROF_FIELDS_MAX =
        4 << 10, /* fields of a location, with unknown ones, which each sample skips again */
    /* The work of all samples is measured in fields that are read and is limited. A call with two
     * lines takes about 35 fields. In the file such a call may take only two bytes of a sample,
     * besides the bytes of its location and functions. */
    PPROF_WORK_LEAST = 1 << 18, /* work that any file may take */
    PPROF_WORK_RATE = 256,      /* more work for each byte of the file */
};

struct pprof_stack {
    struct profile *profile;     /* borrowed, like the tables */
    struct pprof_tables *tables; /* they remember rows of the profile */
    struct frame_list stack;     /* innermost first */
    uint32_t depth;
    uint64_t left; /* of the work; 0: no more samples are to be read */
};

/** Call it before the first sample of a file of `len` bytes: the length limits the work of all
 * samples. */
void pprof_stack_begin(struct pprof_stack *s, struct pprof_tables *tables, size_t len);
/** Counts the work of looking at a text of `len` bytes for a sample. */
void pprof_stack_looks_at(struct pprof_stack *s, size_t len);
/** Turn to another profile: forgets which of its rows the tables remember. */
void pprof_stack_turn_to(struct pprof_stack *s, struct profile *p);
/**
 * Adds the frames of a location. Errors: 0; -ENOMEM; E_LIMIT: more than PPROF_STACK_MAX frames,
 * more than PPROF_LINES_MAX lines, or more work than is left; E_FORMAT: there is no such location,
 * or it names a function that is not in the file.
 */
int pprof_stack_push(struct pprof_stack *s, uint64_t location);
/** String number `number` of the file as a string of the profile; 0: an empty text, or no
 * memory. */
string_id pprof_stack_string(struct pprof_stack *s, uint64_t number);
void pprof_stack_done(struct pprof_stack *s);
