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

/* Equal rows are ordered by trace and class, which is the order in which they were made. */
static int compare_ids(const struct event *x, const struct event *y)
{
    return x->trace != y->trace ? compare(y->trace, x->trace) : compare(y->klass, x->klass);
}

static int by_rank(const void *left, const void *right, void *index)
{
    const struct writer_sites_row *x = left, *y = right;
    uint32_t by = *(const uint32_t *)index;
    int order = compare(x->site.value[by], y->site.value[by]);
    return order ? order : compare_ids(&x->site, &y->site);
}

uint32_t hprof_sites_ranked_by(const struct writer_sites *t)
{
    return t->flags & WRITER_SITES_BY_ALLOCATED ? WRITER_SITES_BYTES : WRITER_SITES_LIVE_BYTES;
}

uint32_t hprof_sites_rank(struct writer_sites *t)
{
    uint32_t by = hprof_sites_ranked_by(t), rows = 0;
    uint64_t total = t->total[by];
    if (t->count > 0)
        qsort_r(t->rows, t->count, sizeof(*t->rows), by_rank, &by);
    while (rows < t->count &&
           (total > 0 ? (double)t->rows[rows].site.value[by] / (double)total : 0) >= t->cutoff)
        rows++;
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
    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
        if (strcmp(name->bytes, arrays[i].name) == 0)
            return arrays[i].kind;
    return name->len > 2 && strcmp(name->bytes + name->len - 2, "[]") == 0 ? OBJECT_ARRAY : OBJECT;
}
