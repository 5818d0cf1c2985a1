/*
 * pprof_stack.h - the frames of a sample of profile.proto, from the tables of the file.
 *
 * Whose code a frame is the mapping says in files of our own; elsewhere a source file, a library or
 * the name of the function does. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/frame_list.h"
#include "profile/profile.h"

struct pprof_tables;

enum {
    PPROF_STACK_MAX = 1 << 16, /* frames */
    PPROF_LINES_MAX = 1 << 10, /* of a location: a call and what was inlined there */
    PPROF_FIELDS_MAX =
        4 << 10, /* with those that nobody knows, which each sample passes over again */
    /* The work of all samples, in fields that are read: a call of two lines takes 35 or so, for two
     * bytes of its sample and those of its location and functions. */
    PPROF_WORK_LEAST = 1 << 18, /* that any file may have */
    PPROF_WORK_RATE = 256,      /* more of it for a byte of the file */
};

struct pprof_stack {
    struct profile *profile;     /* borrowed, as the tables are */
    struct pprof_tables *tables; /* remember rows of the profile */
    struct frame_list stack;     /* innermost first */
    uint32_t depth;
    uint64_t left; /* of the work; 0: no further sample is to be read */
};

/** Before the first sample of a file of `len` bytes: all its samples together have a bound. */
void pprof_stack_begin(struct pprof_stack *s, struct pprof_tables *tables, size_t len);
/** Counts a text of `len` bytes that is looked at for a sample anew. */
void pprof_stack_looks_at(struct pprof_stack *s, size_t len);
/** Another profile: what the tables remember is forgotten. */
void pprof_stack_turn_to(struct pprof_stack *s, struct profile *p);
/**
 * Adds the frames of a location. Errors: 0; -ENOMEM; E_LIMIT: more than PPROF_STACK_MAX, or
 * PPROF_LINES_MAX, or than the work that is left; E_FORMAT: no such location, or of a function that
 * is not there.
 */
int pprof_stack_push(struct pprof_stack *s, uint64_t location);
/** 0 for an empty text, and where there is no memory. */
string_id pprof_stack_string(struct pprof_stack *s, uint64_t number);
void pprof_stack_done(struct pprof_stack *s);
