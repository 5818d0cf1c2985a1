/*
 * allocrates.h - what a recording says of allocations, by class and by site, for a comparison with
 * what a heap holds.
 *
 * Who reads recordings fills it (this folder knows no recordings), and the question `join` puts it
 * beside the rows of the heap. A site is the innermost frames of a stack without lines,
 * "A.a < B.b": recordings and dumps know different parts of a frame, and these both.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "heap/heapsummary.h"

enum { ALLOCRATES_FRAMES = 3, ALLOCRATES_SITE_ROOM = 1024 };

/** The rows have what was allocated while the recording ran, bytes as `shallow`; whoever fills them
 * merges them. */
struct allocrates {
    char *file;     /* the recording */
    double seconds; /* how long it ran; 0: unknown */
    struct heapsummary_rows classes, sites;
};

/** NULL: no memory. Owner: allocrates_free(). */
struct allocrates *allocrates_new(const char *file);
void allocrates_free(struct allocrates *a);
/** Adds a frame to the name of a site: at first "" in `site`. Returns whether the name may have
 * more frames. */
bool allocrates_add_frame(char site[ALLOCRATES_SITE_ROOM], uint32_t depth, const char *class_name,
                          const char *method);
