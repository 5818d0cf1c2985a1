/*
 * heaptally.c - see heaptally.h.
 *
 * How long references and headers are is known when all objects have passed. The size of an array
 * then follows from its length, but for how it is aligned: so of each class of arrays it is counted
 * how many have which rest of their length.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaptally.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "format/hprof_bin.h"
#include "heap/addrmap.h"
#include "heap/dumpnames.h"
#include "heap/dumpscan.h"
#include "heap/graph.h"
#include "heap/heapclass.h"
#include "heap/heaplayout.h"

enum {
    WINDOW = 4 << 20,            /* holds the longest record of a class */
    ALIGN_MOST = 256,            /* bytes: the largest alignment of objects */
    REFS_RESTS = ALIGN_MOST / 4, /* lengths that differ by so much are aligned alike */
};

/* How many arrays of objects have which rest of their length. */
struct rests {
    uint64_t count[REFS_RESTS];
};

struct heaptally {
    const struct graph_options *options;
    struct heaproom room;
    struct heapwindow window;
    struct dumpscan_head head;
    struct dumpnames names;
    struct heapclass classes;
    struct heaplayout layout;
    struct heaproom_list rests;  /* struct rests */
    struct heaproom_list places; /* uint32_t, by class: its place in `rests` + 1; 0: none */
    struct {
        uint64_t count[ALIGN_MOST], objects, elements;
    } of_type[HEAPCLASS_TYPES];
    struct graph_facts facts;
    struct heaptally_row *rows;
    uint32_t row_count;
    uint64_t row_room;
};

/* ---- one object */

static struct rests *rests_of(struct heaptally *t, graph_class klass)
{
    while (t->places.count <= klass) {
        uint32_t *place = heaproom_list_add(&t->places, &t->room, sizeof(*place));
        if (!place)
            return NULL;
        *place = 0;
    }
    uint32_t *places = (uint32_t *)(void *)t->places.at;
    if (places[klass] == 0) {
        struct rests *rests = heaproom_list_add(&t->rests, &t->room, sizeof(*rests));
        if (!rests)
            return NULL;
        *rests = (struct rests){{0}};
        places[klass] = (uint32_t)t->rests.count;
    }
    return (struct rests *)(void *)t->rests.at + (places[klass] - 1);
}

static int take_primitives(struct heaptally *t, const struct dumpscan *s)
{
    unsigned type = s->r.type < HEAPCLASS_TYPES ? s->r.type : 0;
    heaplayout_note(&t->layout, &t->classes, s->r.object);
    heaplayout_keep(&t->layout, s, GRAPH_NO_CLASS);
    t->of_type[type].count[s->r.count % ALIGN_MOST]++;
    t->of_type[type].objects++;
    t->of_type[type].elements += s->r.count;
    t->facts.primitive_arrays++;
    return 0;
}

static int take_object(struct heaptally *t, const struct dumpscan *s)
{
    heaplayout_note(&t->layout, &t->classes, s->r.object);
    graph_class klass = heapclass_of(&t->classes, s->r.klass);
    if (klass == GRAPH_NO_CLASS)
        return E_LIMIT;
    heaplayout_keep(&t->layout, s, klass);
    struct heapclass_row *row = heapclass_row(&t->classes, klass);
    row->objects++;
    if (s->tag == HEAP_RECORD_INSTANCE) {
        t->facts.instances++;
        return 0;
    }
    row->is_array = true;
    row->elements += s->r.count;
    struct rests *rests = rests_of(t, klass);
    if (!rests)
        return E_LIMIT;
    rests->count[s->r.count % REFS_RESTS]++;
    t->facts.object_arrays++;
    return 0;
}

static int take_class(struct heaptally *t, struct dumpscan *s)
{
    heaplayout_break(&t->layout);
    t->layout.id_bits |= s->r.object;
    t->facts.classes++;
    return heapclass_take(&t->classes, s);
}

static int take(struct heaptally *t, struct dumpscan *s)
{
    switch (s->r.object == 0 ? -1 : s->tag) {
    case HEAP_RECORD_CLASS:
        return take_class(t, s);
    case HEAP_RECORD_INSTANCE:
    case HEAP_RECORD_OBJECTS:
        return take_object(t, s);
    case HEAP_RECORD_PRIMITIVES:
    case HEAP_RECORD_PRIMITIVES_LEFT_OUT:
        return take_primitives(t, s);
    default:
        heaplayout_break(&t->layout);
        return 0;
    }
}

/* ---- the records of the stream */

/* Forgets the objects of the dump in front. */
static void begin_dump(struct heaptally *t)
{
    uint32_t dumps = t->facts.dumps;
    heapclass_done(&t->classes);
    heaproom_list_done(&t->rests, &t->room);
    heaproom_list_done(&t->places, &t->room);
    memset(t->of_type, 0, sizeof(t->of_type));
    heapclass_init(&t->classes, &t->room, &t->names, &t->window, t->head.id_bytes);
    heaplayout_begin(&t->layout);
    t->facts = (struct graph_facts){.dumps = dumps};
}

/* Reads the objects of a dump or segment. *at is where it ends, which it may say wrongly. */
static int read_objects(struct heaptally *t, const struct dumpscan_record *r, uint64_t *at)
{
    const struct dumpscan_extent extent = {r->at, r->at + r->bytes, r->may_be_longer};
    struct dumpscan s = {.window = &t->window,
                         .id_bytes = t->head.id_bytes,
                         .extents = &extent,
                         .extent_count = 1,
                         .tag = -1};
    int error = 0;
    heaplayout_break(&t->layout);
    while (error == 0 && dumpscan_next(&s))
        error = take(t, &s);
    struct graph_damage *d = &t->facts.damage;
    if (d->unknown_records == 0)
        d->unknown_at = s.unknown_at;
    d->unknown_records += s.unknown_records;
    d->missing_bytes += s.missing;
    *at = s.end > *at ? s.end : *at;
    return error;
}

static int read_records(struct heaptally *t)
{
    struct dumpscan_record r;
    uint64_t at = t->head.bytes;
    uint32_t wanted = t->options->dump;
    bool is_open = false, is_cut;
    int got = 0, error = 0;
    while (error == 0 && (got = dumpscan_next_record(&t->window, t->head.id_bytes, &at, &r)) > 0) {
        error = dumpnames_take(&t->names, &t->window, &r);
        if (r.tag == HPROF_BIN_HEAP_DUMP_END)
            is_open = false;
        if (error < 0 || (r.tag != HPROF_BIN_HEAP_DUMP && r.tag != HPROF_BIN_HEAP_SEGMENT))
            continue;
        bool is_next = !is_open || r.tag == HPROF_BIN_HEAP_DUMP;
        if (is_next && (wanted == 0 || t->facts.dumps < wanted))
            begin_dump(t);
        t->facts.dumps += is_next;
        if (wanted == 0 || t->facts.dumps == wanted)
            error = read_objects(t, &r, &at);
        is_open = r.tag == HPROF_BIN_HEAP_SEGMENT;
    }
    uint64_t end = heapinput_bytes(t->window.input);
    is_cut = error == 0 && (got < 0 || at > end || t->window.input->stream->error < 0);
    t->facts.damage.is_cut = is_cut || t->facts.damage.missing_bytes > 0;
    t->facts.file_bytes = end == UINT64_MAX ? at : end;
    return error;
}

/* ---- sums */

/* The bytes of arrays of a class: of `counts[i]` arrays the length has the rest i. */
static uint64_t sum_arrays(const struct heaptally *t, unsigned type, const uint64_t *counts,
                           unsigned rests, uint64_t elements)
{
    const struct graph_layout *l = &t->facts.layout;
    uint64_t bytes = 0;
    for (unsigned i = 0; i < rests; i++) {
        bytes += counts[i] * heapclass_array_bytes(l, t->options->sizes, type, i);
        elements -= counts[i] * i;
    }
    return bytes + elements * dumpscan_type_bytes(type, l->ref_bytes);
}

static uint64_t sum_class_objects(const struct heaptally *t)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < t->classes.rows.count; i++)
        if (heapclass_row(&t->classes, (graph_class)i)->has_record)
            bytes += heapclass_object_bytes(&t->classes, (graph_class)i, &t->facts.layout,
                                            t->options->sizes);
    return bytes;
}

static void sum_class(const struct heaptally *t, graph_class i, struct heaptally_row *ret)
{
    const struct heapclass_row *row = heapclass_row(&t->classes, i);
    const uint32_t *places = (const void *)t->places.at;
    uint32_t place = i < t->places.count ? places[i] : 0;
    *ret = (struct heaptally_row){.name = t->classes.infos[i].name, .objects = row->objects};
    if (place != 0)
        ret->bytes = sum_arrays(t, GRAPH_TYPE_OBJECT,
                                ((const struct rests *)(const void *)t->rests.at)[place - 1].count,
                                REFS_RESTS, row->elements);
    else
        ret->bytes = row->objects * t->classes.infos[i].instance_bytes;
    for (unsigned type = GRAPH_TYPE_BOOLEAN; type < HEAPCLASS_TYPES; type++) {
        if (t->classes.of_type[type] != i)
            continue;
        ret->objects += t->of_type[type].objects;
        ret->bytes +=
            sum_arrays(t, type, t->of_type[type].count, ALIGN_MOST, t->of_type[type].elements);
    }
    if (i == t->classes.java_lang_class) {
        ret->objects += t->facts.classes;
        ret->bytes += sum_class_objects(t);
    }
}

static int by_bytes(const void *a, const void *b)
{
    const struct heaptally_row *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->objects != y->objects)
        return x->objects > y->objects ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int sum_up(struct heaptally *t)
{
    struct addrmap none;
    addrmap_init(&none, &t->room, 0);
    int error = dumpnames_seal(&t->names);
    if (error == 0)
        error = addrmap_seal(&none);
    if (error == 0)
        error = heapclass_seal(&t->classes, &none);
    addrmap_done(&none);
    if (error < 0)
        return error;
    struct graph_facts *f = &t->facts;
    heaplayout_judge(&t->layout, t->head.id_bytes, &t->classes, &f->layout);
    heapclass_measure(&t->classes, &f->layout, t->options->sizes);
    uint64_t count = t->classes.rows.count;
    t->row_room = (count + 1) * sizeof(*t->rows);
    t->rows = heaproom_take(&t->room, t->row_room);
    if (!t->rows)
        return E_LIMIT;
    for (uint64_t i = 0; i < count; i++) {
        struct heaptally_row *row = &t->rows[t->row_count];
        sum_class(t, (graph_class)i, row);
        f->bytes += row->bytes;
        t->row_count += row->objects > 0;
    }
    qsort(t->rows, t->row_count, sizeof(*t->rows), by_bytes);
    memcpy(f->version, t->head.version, sizeof(f->version));
    f->created_ms = t->head.created_ms;
    f->objects = f->classes + f->instances + f->object_arrays + f->primitive_arrays;
    f->dump = t->options->dump != 0 ? t->options->dump : f->dumps;
    f->memory_peak = t->room.peak;
    return 0;
}

/* ---- all */

static int read_all(struct heaptally *t, char why[GRAPH_WHY])
{
    int error = dumpscan_read_head(&t->window, &t->head);
    if (error < 0) {
        const struct heapinput_stream *s = t->window.input->stream;
        snprintf(why, GRAPH_WHY, "%s",
                 s->error < 0           ? (s->why ? s->why : err_text(s->error))
                 : s->end == 0          ? "nothing came"
                 : error == E_TRUNCATED ? "it ends within its head"
                                        : "this is no HPROF file of a known version");
        return error;
    }
    dumpnames_init(&t->names, &t->room, t->head.id_bytes);
    begin_dump(t);
    error = read_records(t);
    if (error == 0 && (t->facts.dumps == 0 || t->facts.dumps < t->options->dump)) {
        if (t->facts.dumps == 0)
            snprintf(why, GRAPH_WHY, "there is no heap dump in it");
        else
            snprintf(why, GRAPH_WHY, "--dump %" PRIu32 ": there are %" PRIu32 " heap dumps in it",
                     t->options->dump, t->facts.dumps);
        return E_NOT_FOUND;
    }
    return error < 0 ? error : sum_up(t);
}

int heaptally_read(const struct heapinput *in, const struct graph_options *options,
                   struct heaptally **ret, char ret_why[GRAPH_WHY])
{
    struct heaptally *t = calloc(1, sizeof(*t));
    ret_why[0] = '\0';
    *ret = t;
    int error = t ? 0 : E_LIMIT;
    if (t) {
        t->options = options;
        heaproom_init(&t->room, graph_memory_limit(options));
        t->window = (struct heapwindow){.input = in, .room = WINDOW};
        t->window.buffer = heaproom_take(&t->room, t->window.room);
        error = t->window.buffer ? read_all(t, ret_why) : E_LIMIT;
    }
    if (error == 0)
        return 0;
    if (ret_why[0] == '\0')
        snprintf(ret_why, GRAPH_WHY, "%s",
                 error == E_LIMIT ? "the memory is too small for its classes and names; raise "
                                    "--memory"
                                  : err_text(error));
    heaptally_free(t);
    *ret = NULL;
    return error;
}

void heaptally_free(struct heaptally *t)
{
    if (!t)
        return;
    if (t->classes.room)
        heapclass_done(&t->classes);
    if (t->names.room)
        dumpnames_done(&t->names);
    heaproom_list_done(&t->rests, &t->room);
    heaproom_list_done(&t->places, &t->room);
    heaproom_give(&t->room, t->rows, t->row_room);
    heaproom_give(&t->room, t->window.buffer, t->window.room);
    free(t);
}

const struct graph_facts *heaptally_facts(const struct heaptally *t)
{
    return &t->facts;
}

const struct heaptally_row *heaptally_rows(const struct heaptally *t, uint32_t *ret_count)
{
    *ret_count = t->row_count;
    return t->rows;
}
