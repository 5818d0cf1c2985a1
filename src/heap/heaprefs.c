/*
 * heaprefs.c - streams the references of a dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaprefs.h"
#include "base/diag.h"
#include "base/err.h"
#include "heap/graph.h"

enum { ADVANCE = 1 << 16, ELEMENTS = 2048 /* of an array, in a piece */ };

void heaprefs_begin(struct heaprefs *r, struct graph *g, const struct bitrank *roots)
{
    r->g = g;
    r->roots = roots;
    r->scan = graph_index_scan(g);
    r->touched = NULL;
    r->count = r->piece_count = r->next_piece = r->id_count = 0;
    r->next_element = UINT64_MAX;
    r->next_root = r->told = 0;
    r->is_at_end = false;
    r->error = 0;
}

/* Keeps an id of the last piece. */
static inline void put(struct heaprefs *r, uint64_t id)
{
    if (id == 0)
        return;
    addrmap_prefetch(&r->g->map, id);
    r->u.ids[r->id_count++] = id;
}

/* How many references the last piece has so far. */
static inline uint32_t taken(const struct heaprefs *r)
{
    return r->id_count - r->pieces[r->piece_count - 1].first;
}

static inline uint64_t id_at(const struct heaprefs *r, const unsigned char *b)
{
    return r->scan.id_bytes == 8 ? be_8(b) : be_4(b);
}

static void put_class(struct heaprefs *r, graph_class klass)
{
    if (klass == GRAPH_NO_CLASS || r->g->options.skips_classes)
        return;
    const struct heapclass_row *row = heapclass_row(&r->g->classes, klass);
    if (row->object != HEAPNODE_NONE && !bitrank_has(r->roots, row->object))
        put(r, row->id);
}

static void put_fields(struct heaprefs *r, graph_class klass)
{
    struct graph *g = r->g;
    uint32_t count;
    const struct heapclass_ref *refs = heapclass_refs(&g->classes, klass, &count);
    if (!refs && count > 0) {
        r->error = E_LIMIT;
        return;
    }
    unsigned bytes = r->scan.id_bytes;
    const unsigned char *body = heapinput_see(&g->scan, r->scan.body_at, r->scan.body_bytes);
    /* A class with more references than a piece holds loses the rest here and in all passes. */
    for (uint32_t i = 0; i < count && taken(r) < HEAPREFS_PIECE; i++) {
        if ((uint64_t)refs[i].offset + bytes > r->scan.body_bytes)
            break;
        if (refs[i].flags & HEAPCLASS_WEAK && !g->options.follows_weak)
            continue;
        const unsigned char *b =
            body ? body + refs[i].offset
                 : heapinput_see(&g->scan, r->scan.body_at + refs[i].offset, bytes);
        if (b)
            put(r, id_at(r, b));
    }
}

/* Some of the elements of an array. */
static void put_elements(struct heaprefs *r)
{
    uint64_t left = r->scan.r.count - r->next_element;
    uint32_t bytes = r->scan.id_bytes, some = left < ELEMENTS ? (uint32_t)left : ELEMENTS;
    const unsigned char *b =
        heapinput_see(&r->g->scan, r->scan.body_at + r->next_element * bytes, (size_t)some * bytes);
    for (uint32_t i = 0; b && i < some; i++)
        put(r, id_at(r, b + (size_t)i * bytes));
    r->next_element += some;
}

static bool put_item(void *with, const struct dumpscan_item *item)
{
    struct heaprefs *r = with;
    if (item->kind == DUMPSCAN_FIELD)
        return false;
    if ((item->type == 2 || item->type == 1) && taken(r) < HEAPREFS_PIECE)
        put(r, item->bits);
    return true;
}

/* The statics of Finalizer, of which one keeps nothing alive. */
struct picky {
    struct heaprefs *r;
    const struct graph_class_info *info;
    uint32_t next;
};

static bool put_picky(void *with, const struct dumpscan_item *item)
{
    struct picky *p = with;
    if (item->kind == DUMPSCAN_STATIC && p->next < p->info->static_count &&
        p->info->statics[p->next++].is_referent)
        return true;
    return put_item(p->r, item);
}

static bool has_weak_static(const struct graph_class_info *info)
{
    for (uint32_t i = 0; i < info->static_count; i++)
        if (info->statics[i].is_referent)
            return true;
    return false;
}

static void put_class_object(struct heaprefs *r)
{
    struct graph *g = r->g;
    graph_class self = heapclass_look(&g->classes, r->scan.r.object);
    struct picky picky = {.r = r, .info = &g->classes.infos[self]};
    bool is_picky = !g->options.follows_weak && has_weak_static(picky.info);
    const uint64_t ids[] = {r->scan.r.super, r->scan.r.loader, r->scan.r.signers, r->scan.r.domain};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        put(r, ids[i]);
    dumpscan_each_item(&g->scan, r->scan.id_bytes, r->scan.body_at,
                       r->scan.body_at + r->scan.body_bytes, is_picky ? put_picky : put_item,
                       is_picky ? (void *)&picky : r);
}

/* A new piece at the end. */
static struct heaprefs_piece *add_piece(struct heaprefs *r)
{
    struct heaprefs_piece *p = &r->pieces[r->piece_count++];
    *p = (struct heaprefs_piece){.owner = r->scan.r.object, .first = r->id_count};
    return p;
}

/* Reads the record on which the scan stands, if it is one of an object. */
static void read_object(struct heaprefs *r)
{
    r->next_element = UINT64_MAX;
    if ((!graph_look_is_object(r->scan.tag) && r->scan.tag != HEAP_RECORD_CLASS) ||
        r->scan.r.object == 0)
        return;
    struct heaprefs_piece *p = add_piece(r);
    p->klass = graph_look_class(r->g, &r->scan);
    p->is_new = true;
    p->tag = (int16_t)r->scan.tag;
    p->type = (uint16_t)r->scan.r.type;
    p->elements = r->scan.r.count;
    put_class(r, p->klass);
    if (r->scan.tag == HEAP_RECORD_CLASS) {
        put_class_object(r);
    } else if (r->scan.tag == HEAP_RECORD_INSTANCE && p->klass != GRAPH_NO_CLASS) {
        put_fields(r, p->klass);
    } else if (r->scan.tag == HEAP_RECORD_OBJECTS) {
        r->next_element = 0;
        put_elements(r);
    }
    p->count = taken(r);
}

/* More elements of the array on which the scan stands. */
static void read_elements(struct heaprefs *r)
{
    struct heaprefs_piece *p = add_piece(r);
    put_elements(r);
    p->count = taken(r);
}

/* The next reference of a thread to an object in one of its frames. Returns whether there is one.
 */
static bool read_local(struct heaprefs *r)
{
    const struct graph *g = r->g;
    while (r->next_root < g->facts.roots) {
        const struct graph_root *root = &g->roots[r->next_root++];
        if (graph_root_is_own(root))
            continue;
        struct heaprefs_piece *p = add_piece(r);
        p->owner = graph_id(g, root->thread);
        put(r, graph_id(g, root->object));
        p->count = taken(r);
        return true;
    }
    return false;
}

/* Turns the ids of all pieces into numbers. A number has no more bytes than an id, and none is
 * written before the ids in front of it were read. */
static void look_up(struct heaprefs *r)
{
    const struct addrmap *map = &r->g->map;
    uint32_t kept = 0, pieces = 0;
    for (uint32_t k = 0; k < r->piece_count; k++) {
        struct heaprefs_piece p = r->pieces[k];
        uint32_t end = p.first + p.count, first = kept;
        p.owner = addrmap_number(map, p.owner);
        if (p.owner == UINT64_MAX)
            continue;
        for (uint32_t i = p.first; i < end; i++) {
            uint64_t number = addrmap_number(map, r->u.ids[i]);
            if (number == UINT64_MAX || number == p.owner || bitrank_has(r->roots, number))
                continue;
            if (r->touched)
                heaptable_prefetch(r->touched, number);
            r->u.numbers[kept++] = (heapnode)number;
        }
        p.first = first;
        p.count = kept - first;
        r->pieces[pieces++] = p;
    }
    r->piece_count = pieces;
}

/* Reads ahead. */
static void fill(struct heaprefs *r)
{
    struct graph *g = r->g;
    r->piece_count = r->next_piece = r->id_count = 0;
    while (r->error == 0 && r->piece_count < HEAPREFS_OBJECTS && r->id_count < HEAPREFS_AHEAD) {
        if (r->next_element < r->scan.r.count) {
            read_elements(r);
        } else if (!r->is_at_end && dumpscan_next(&r->scan)) {
            if (++r->told % ADVANCE == 0 && g->options.diag)
                diag_advance(g->options.diag, g->path, r->scan.at, g->input.bytes);
            read_object(r);
        } else {
            r->is_at_end = true;
            r->next_element = UINT64_MAX;
            if (g->scan.error < 0)
                r->error = g->scan.error;
            if (!read_local(r))
                break;
        }
    }
    look_up(r);
}

bool heaprefs_next(struct heaprefs *r)
{
    const struct graph *g = r->g;
    while (r->next_piece >= r->piece_count) {
        if (r->is_at_end && r->next_root >= g->facts.roots) {
            if (r->told > 0 && g->options.diag)
                diag_advance(g->options.diag, g->path, UINT64_MAX, g->input.bytes);
            return false;
        }
        fill(r);
        if (r->error < 0)
            return false;
    }
    const struct heaprefs_piece *p = &r->pieces[r->next_piece++];
    r->owner = (heapnode)p->owner;
    r->is_new = p->is_new;
    r->count = p->count;
    r->to = r->u.numbers + p->first;
    return true;
}

uint64_t heaprefs_shallow(const struct heaprefs *r)
{
    const struct graph *g = r->g;
    const struct graph_layout *l = &g->facts.layout;
    const struct heaprefs_piece *p = &r->pieces[r->next_piece - 1];
    switch (p->tag) {
    case HEAP_RECORD_CLASS:
        return heapclass_object_bytes(
            &g->classes, heapclass_find(&g->classes, graph_id(g, r->owner)), l, g->options.sizes);
    case HEAP_RECORD_INSTANCE:
        return p->klass == GRAPH_NO_CLASS ? 0 : g->classes.infos[p->klass].instance_bytes;
    case HEAP_RECORD_OBJECTS:
        return heapclass_array_bytes(l, g->options.sizes, GRAPH_TYPE_OBJECT, p->elements);
    default:
        return heapclass_array_bytes(l, g->options.sizes, p->type, p->elements);
    }
}
