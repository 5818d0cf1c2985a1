/*
 * allocrates.h - what a recording says of allocations, by class and by site, for a comparison with
 * what a heap holds.
 *
 * Who reads recordings fills it (this folder knows no recordings); the question `join` looks names
 * up. A site is the innermost frames of a stack without lines, "A.a < B.b": recordings and dumps
 * know different parts of a frame, and these both.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALLOCRATES_FRAMES = 3, ALLOCRATES_SITE_ROOM = 1024 };

struct allocrates_row {
    char *name;
    uint64_t bytes, objects; /* that were allocated while the recording ran */
    bool is_met;             /* the caller's: what the heap has, too */
};

/** Rows sorted by name, after allocrates_seal(). */
struct allocrates_rows {
    struct allocrates_row *rows;
    uint32_t count, room;
};

struct allocrates {
    char *file;     /* the recording */
    double seconds; /* how long it ran; 0: unknown */
    struct allocrates_rows classes, sites;
};

/** NULL: no memory. Owner: allocrates_free(). */
struct allocrates *allocrates_new(const char *file);
void allocrates_free(struct allocrates *a);
/** Adds to a row of this name; two rows may have one name until allocrates_seal(). Errors: 0;
 * E_LIMIT: no memory. */
int allocrates_add(struct allocrates_rows *r, const char *name, uint64_t bytes, uint64_t objects);
/** Sorts the rows, and makes one of those with the same name. */
void allocrates_seal(struct allocrates_rows *r);
/** The row with this name; NULL: none. */
struct allocrates_row *allocrates_find(const struct allocrates_rows *r, const char *name);
/** Adds a frame to the name of a site: at first "" in `site`. Returns whether the name may have
 * more frames. */
bool allocrates_add_frame(char site[ALLOCRATES_SITE_ROOM], uint32_t depth, const char *class_name,
                          const char *method);
