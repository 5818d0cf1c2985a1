/*
 * heaprefs.c - streams the references of a dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaprefs.h"
#include "base/diag.h"
#include "base/err.h"

enum { ADVANCE = 1 << 16, ELEMENTS = 2048 /* of an array, in a piece */ };

void heaprefs_begin(struct heaprefs *r, struct graph *g, const struct bitrank *roots)
{
    r->g = g;
    r->roots = roots;
    r->scan = graph_index_scan(g);
    r->count = 0;
    r->next_element = UINT64_MAX;
    r->next_root = r->told = 0;
    r->error = 0;
}

static inline void put(struct heaprefs *r, uint64_t id)
{
    uint64_t number = id == 0 ? UINT64_MAX : addrmap_number(&r->g->map, id);
    if (number != UINT64_MAX && number != r->owner && !bitrank_has(r->roots, number))
        r->to[r->count++] = (heapnode)number;
}

static inline uint64_t id_at(const struct heaprefs *r, const unsigned char *b)
{
    return r->scan.id_bytes == 8 ? be_8(b) : be_4(b);
}

static void put_class(struct heaprefs *r, graph_class klass)
{
    if (klass == GRAPH_NO_CLASS || r->g->options.skips_classes)
        return;
    heapnode object = heapclass_row(&r->g->classes, klass)->object;
    if (object != HEAPNODE_NONE && object != r->owner && !bitrank_has(r->roots, object))
        r->to[r->count++] = object;
}

static void put_fields(struct heaprefs *r)
{
    struct graph *g = r->g;
    uint32_t count;
    const struct heapclass_ref *refs = heapclass_refs(&g->classes, r->klass, &count);
    if (!refs && count > 0) {
        r->error = E_LIMIT;
        return;
    }
    unsigned bytes = r->scan.id_bytes;
    const unsigned char *body = heapinput_see(&g->scan, r->scan.body_at, r->scan.body_bytes);
    /* A class with more references than a piece holds loses the rest here and in all passes. */
    for (uint32_t i = 0; i < count && r->count < HEAPREFS_PIECE; i++) {
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
    if ((item->type == 2 || item->type == 1) && r->count < HEAPREFS_PIECE)
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

/* The object of the record on which the scan stands. Returns whether it is one. */
static bool begin_object(struct heaprefs *r)
{
    struct graph *g = r->g;
    r->next_element = UINT64_MAX;
    if (!graph_look_is_object(r->scan.tag) && r->scan.tag != HEAP_RECORD_CLASS)
        return false;
    uint64_t number =
        r->scan.r.object == 0 ? UINT64_MAX : addrmap_number(&g->map, r->scan.r.object);
    if (number == UINT64_MAX)
        return false;
    r->owner = (heapnode)number;
    r->is_new = true;
    switch (r->scan.tag) {
    case HEAP_RECORD_CLASS:
        r->klass = g->classes.java_lang_class;
        put_class(r, r->klass);
        put_class_object(r);
        break;
    case HEAP_RECORD_INSTANCE:
        r->klass = heapclass_look(&g->classes, r->scan.r.klass);
        put_class(r, r->klass);
        if (r->klass != GRAPH_NO_CLASS)
            put_fields(r);
        break;
    case HEAP_RECORD_OBJECTS:
        r->klass = heapclass_look(&g->classes, r->scan.r.klass);
        put_class(r, r->klass);
        r->next_element = 0;
        put_elements(r);
        break;
    default:
        r->klass =
            r->scan.r.type < HEAPCLASS_TYPES ? g->classes.of_type[r->scan.r.type] : GRAPH_NO_CLASS;
        put_class(r, r->klass);
        break;
    }
    return true;
}

/* The next reference of a thread to an object in one of its frames. */
static bool next_local(struct heaprefs *r)
{
    const struct graph *g = r->g;
    while (r->next_root < g->facts.roots) {
        const struct graph_root *root = &g->roots[r->next_root++];
        if (graph_root_is_own(root))
            continue;
        r->owner = (heapnode)root->thread;
        r->is_new = false;
        if (root->object != root->thread && !bitrank_has(r->roots, root->object))
            r->to[r->count++] = (heapnode)root->object;
        return true;
    }
    if (r->told > 0 && g->options.diag)
        diag_advance(g->options.diag, g->path, UINT64_MAX, g->input.bytes);
    return false;
}

bool heaprefs_next(struct heaprefs *r)
{
    struct graph *g = r->g;
    r->count = 0;
    if (r->next_element < r->scan.r.count) {
        r->is_new = false;
        put_elements(r);
        return true;
    }
    while (r->error == 0 && dumpscan_next(&r->scan)) {
        if (++r->told % ADVANCE == 0 && g->options.diag)
            diag_advance(g->options.diag, g->path, r->scan.at, g->input.bytes);
        if (begin_object(r))
            return r->error == 0;
    }
    r->scan.tag = -1;
    if (r->error == 0)
        r->error = g->scan.error;
    return r->error == 0 && next_local(r);
}

uint64_t heaprefs_shallow(const struct heaprefs *r)
{
    const struct graph *g = r->g;
    const struct graph_layout *l = &g->facts.layout;
    switch (r->scan.tag) {
    case HEAP_RECORD_CLASS:
        return heapclass_object_bytes(&g->classes, heapclass_find(&g->classes, r->scan.r.object), l,
                                      g->options.sizes);
    case HEAP_RECORD_INSTANCE:
        return r->klass == GRAPH_NO_CLASS ? 0 : g->classes.infos[r->klass].instance_bytes;
    case HEAP_RECORD_OBJECTS:
        return heapclass_array_bytes(l, g->options.sizes, GRAPH_TYPE_OBJECT, r->scan.r.count);
    default:
        return heapclass_array_bytes(l, g->options.sizes, r->scan.r.type, r->scan.r.count);
    }
}
