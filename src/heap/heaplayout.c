/*
 * heaplayout.c - how the JVM laid its heap out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaplayout.h"
#include "heap/dumpscan.h"
#include "heap/heapclass.h"

enum {
    LEAST_HEADER = 12, /* of an array, with compact headers */
    ARRAY_TELLS = 4,   /* elements of an array whose size tells how long a reference is */
};

void heaplayout_begin(struct heaplayout *l)
{
    *l = (struct heaplayout){.id_bits = 0};
    for (int i = 0; i < HEAPLAYOUT_SCALES; i++)
        l->evidence[i].least_array = UINT64_MAX;
}

static void note_gap(struct heaplayout *l, int scale, uint64_t gap)
{
    struct heaplayout_evidence *e = &l->evidence[scale];
    gap <<= scale * 3;
    if (l->last_type == 0)
        return;
    if (l->last_type == GRAPH_TYPE_OBJECT) {
        if (gap < LEAST_HEADER + l->last_count * 4)
            e->has_overlap = true;
        else if (gap < LEAST_HEADER + l->last_count * 8)
            e->has_narrow = true;
        if (l->last_count >= ARRAY_TELLS)
            e->has_arrays = true;
    } else if (gap < LEAST_HEADER + l->last_payload) {
        e->has_overlap = true;
    } else if (dumpscan_type_bytes(l->last_type, 0) <= 2 &&
               gap - l->last_payload < e->least_array) {
        e->least_array = gap - l->last_payload;
    }
}

bool heaplayout_note(struct heaplayout *l, struct heapclass *classes, uint64_t id)
{
    if (!l->has_last || id <= l->last_id)
        return false;
    uint64_t gap = id - l->last_id;
    if (l->last_type == 0) {
        struct heapclass_row *row = heapclass_row(classes, l->last_class);
        row->least_gap = gap < row->least_gap ? gap : row->least_gap;
    }
    for (int scale = 0; scale < HEAPLAYOUT_SCALES; scale++)
        note_gap(l, scale, gap);
    return true;
}

void heaplayout_keep(struct heaplayout *l, const struct dumpscan *s, graph_class klass)
{
    bool is_primitive =
        s->tag == HEAP_RECORD_PRIMITIVES || s->tag == HEAP_RECORD_PRIMITIVES_LEFT_OUT;
    l->has_last = s->tag != HEAP_RECORD_PRIMITIVES_LEFT_OUT;
    l->last_id = s->r.object;
    l->last_class = klass;
    l->last_count = s->r.count;
    l->last_payload = s->body_bytes;
    l->last_type = is_primitive ? s->r.type : s->tag == HEAP_RECORD_OBJECTS ? GRAPH_TYPE_OBJECT : 0;
    l->id_bits |= s->r.object;
}

void heaplayout_judge(const struct heaplayout *l, unsigned id_bytes, struct heapclass *classes,
                      struct graph_layout *ret_layout)
{
    struct graph_layout *to = ret_layout;
    int scale = id_bytes == 4 && l->evidence[0].has_overlap ? 1 : 0;
    const struct heaplayout_evidence *e = &l->evidence[scale];
    uint64_t low = (l->id_bits << scale * 3) & -(l->id_bits << scale * 3);
    to->id_bytes = id_bytes;
    to->alignment = low < 8 ? 8 : low > 256 ? 256 : (unsigned)low;
    to->is_guessed = e->has_overlap || e->least_array == UINT64_MAX || e->least_array > 24;
    to->array_bytes = to->is_guessed ? 16 : (unsigned)e->least_array;
    if (to->is_guessed && to->id_bytes == 4 && scale == 0)
        to->array_bytes = 12;
    if (e->has_narrow || (to->id_bytes == 4 && scale == 0))
        to->ref_bytes = 4;
    else
        to->ref_bytes = e->has_arrays && !to->is_guessed ? 8 : 4;
    to->header_bytes = to->array_bytes >= 20 ? 16 : to->array_bytes <= 12 ? 8 : 12;
    if (scale == 1)
        for (uint64_t i = 0; i < classes->rows.count; i++)
            if (heapclass_row(classes, (graph_class)i)->least_gap < UINT64_MAX >> 3)
                heapclass_row(classes, (graph_class)i)->least_gap <<= 3;
}
