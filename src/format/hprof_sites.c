/*
 * hprof_sites.c - what the two writers of allocation sites share: see hprof_sites.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_sites.h"
#include <stdlib.h>
#include <string.h>
#include "format/hprof_out.h"

static int compare(uint64_t left, uint64_t right)
{
    return left > right ? -1 : left < right;
}

/* Rows that tie stay in the order of their traces and classes, which is that of their making. */
static int compare_ids(const struct profile_site *x, const struct profile_site *y)
{
    return x->trace != y->trace ? compare(y->trace, x->trace) : compare(y->klass, x->klass);
}

static int by_live(const void *left, const void *right)
{
    const struct hprof_sites_row *x = left, *y = right;
    int order = compare(x->site.live_bytes, y->site.live_bytes);
    return order ? order : compare_ids(&x->site, &y->site);
}

static int by_allocated(const void *left, const void *right)
{
    const struct hprof_sites_row *x = left, *y = right;
    int order = compare(x->site.alloc_bytes, y->site.alloc_bytes);
    return order ? order : compare_ids(&x->site, &y->site);
}

uint32_t hprof_sites_rank(struct hprof_sites *t)
{
    int is_by_allocated = (t->flags & HPROF_SITES_BY_ALLOCATED) != 0;
    uint64_t total = is_by_allocated ? t->total.alloc_bytes : t->total.live_bytes;
    uint32_t rows = 0;
    if (t->count > 0)
        qsort(t->rows, t->count, sizeof *t->rows, is_by_allocated ? by_allocated : by_live);
    for (; rows < t->count; rows++) {
        const struct profile_site *s = &t->rows[rows].site;
        uint64_t bytes = is_by_allocated ? s->alloc_bytes : s->live_bytes;
        if ((total > 0 ? (double)bytes / (double)total : 0) < t->cutoff)
            break;
    }
    t->written = rows;
    return rows;
}

uint8_t hprof_sites_kind(const struct hprof_out *o, class_id klass)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } arrays[] = {{"boolean[]", 4}, {"char[]", 5},  {"float[]", 6}, {"double[]", 7},
                  {"byte[]", 8},    {"short[]", 9}, {"int[]", 10},  {"long[]", 11}};
    enum { OBJECT = 0, OBJECT_ARRAY = 2 };
    const struct profile_string *name =
        profile_string_at(o->profile, profile_class_at(o->profile, klass)->name);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (strcmp(name->bytes, arrays[i].name) == 0)
            return arrays[i].kind;
    return name->len > 2 && strcmp(name->bytes + name->len - 2, "[]") == 0 ? OBJECT_ARRAY : OBJECT;
}
