/*
 * allocrates.c - see allocrates.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/allocrates.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct allocrates *allocrates_new(const char *file)
{
    struct allocrates *a = calloc(1, sizeof(*a));
    if (a)
        a->file = strdup(file);
    if (a && !a->file) {
        free(a);
        return NULL;
    }
    return a;
}

void allocrates_free(struct allocrates *a)
{
    if (!a)
        return;
    heapsummary_rows_done(&a->classes);
    heapsummary_rows_done(&a->sites);
    free(a->file);
    free(a);
}

bool allocrates_add_frame(char site[ALLOCRATES_SITE_ROOM], uint32_t depth, const char *class_name,
                          const char *method)
{
    size_t len = strlen(site);
    if (depth >= ALLOCRATES_FRAMES)
        return false;
    snprintf(site + len, ALLOCRATES_SITE_ROOM - len, "%s%s.%s", len > 0 ? " < " : "", class_name,
             method);
    return depth + 1 < ALLOCRATES_FRAMES;
}
