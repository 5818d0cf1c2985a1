/*
 * allocrates.c - see allocrates.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/allocrates.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

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

static void done(struct allocrates_rows *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        free(r->rows[i].name);
    free(r->rows);
}

void allocrates_free(struct allocrates *a)
{
    if (!a)
        return;
    done(&a->classes);
    done(&a->sites);
    free(a->file);
    free(a);
}

int allocrates_add(struct allocrates_rows *r, const char *name, uint64_t bytes, uint64_t objects)
{
    if (r->count == r->room) {
        uint32_t room = r->room ? r->room * 2 : 256;
        struct allocrates_row *more = realloc(r->rows, room * sizeof(*more));
        if (!more)
            return E_LIMIT;
        r->rows = more;
        r->room = room;
    }
    char *copy = strdup(name);
    if (!copy)
        return E_LIMIT;
    r->rows[r->count++] = (struct allocrates_row){.name = copy, .bytes = bytes, .objects = objects};
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct allocrates_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void allocrates_seal(struct allocrates_rows *r)
{
    uint32_t kept = 0;
    if (r->count > 0)
        qsort(r->rows, r->count, sizeof(*r->rows), by_name);
    for (uint32_t i = 0; i < r->count; i++) {
        struct allocrates_row *last = kept > 0 ? &r->rows[kept - 1] : NULL;
        if (!last || strcmp(last->name, r->rows[i].name) != 0) {
            r->rows[kept++] = r->rows[i];
            continue;
        }
        last->bytes += r->rows[i].bytes;
        last->objects += r->rows[i].objects;
        free(r->rows[i].name);
    }
    r->count = kept;
}

struct allocrates_row *allocrates_find(const struct allocrates_rows *r, const char *name)
{
    uint32_t low = 0, high = r->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(r->rows[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->count && strcmp(r->rows[low].name, name) == 0 ? &r->rows[low] : NULL;
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
