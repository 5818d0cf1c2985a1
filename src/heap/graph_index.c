/*
 * graph_index.c - reads a dump once: names, classes, roots, addresses and places of objects.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "base/diag.h"
#include "base/err.h"
#include "format/hprof_bin.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"
#include "heap/heaplayout.h"

enum {
    ADVANCE = 1 << 16, /* objects between two reports of progress */
};

/* The state of the scan. */
struct reading {
    struct graph *g;
    struct heaplayout layout;
    uint64_t in_block;
};

int graph_index_lacks(const struct graph *g, int error, char why[GRAPH_WHY])
{
    uint64_t limit = (g->room.limit + HEAPROOM_FIXED) >> 20;
    uint64_t need = (g->room.lacked + HEAPROOM_FIXED) >> 20;
    need += need / 8 + 1;
    if (g->store.error == -ENOSPC)
        snprintf(why, GRAPH_WHY,
                 "%" PRIu64 " MB of memory are too little, and %.200s has no room for the tables, "
                 "some %" PRIu64 " MB; name another folder by --tmp, or give more by --memory",
                 limit, g->store.folder, (g->store.expected_bytes >> 20) + 1);
    else if (g->store.error < 0)
        snprintf(why, GRAPH_WHY,
                 "%" PRIu64
                 " MB of memory are too little, and a temporary file in %.200s fails: %s; "
                 "name another folder by --tmp, or give more by --memory",
                 limit, g->store.folder, err_text(g->store.error));
    else if (error == E_LIMIT)
        snprintf(why, GRAPH_WHY,
                 "%" PRIu64 " MB of memory are too little; it needs at least --memory %" PRIu64 "m",
                 limit, need);
    else
        snprintf(why, GRAPH_WHY, "%s", err_text(error));
    return error;
}

/* Keeps the block in which the object is; a block ends where ids do not ascend. */
static int note_place(struct reading *r, const struct dumpscan *s)
{
    struct graph *g = r->g;
    bool follows = heaplayout_note(&r->layout, &g->classes, s->r.object);
    if (follows && r->in_block < GRAPH_BLOCK_OBJECTS) {
        r->in_block++;
        ((struct graph_block *)(void *)g->blocks.at)[g->blocks.count - 1].reach = s->r.object;
        return 0;
    }
    struct graph_block *block = heaproom_list_add(&g->blocks, &g->room, sizeof(*block));
    if (!block)
        return E_LIMIT;
    *block = (struct graph_block){.first = s->r.object, .reach = s->r.object, .at = s->record_at};
    r->in_block = 1;
    return 0;
}

static int take_object(struct reading *r, const struct dumpscan *s)
{
    struct graph *g = r->g;
    bool is_primitive =
        s->tag == HEAP_RECORD_PRIMITIVES || s->tag == HEAP_RECORD_PRIMITIVES_LEFT_OUT;
    if (s->r.object == 0) /* null: nothing can refer to it */
        return 1;
    if (note_place(r, s) < 0)
        return E_LIMIT;
    graph_class klass = GRAPH_NO_CLASS;
    if (!is_primitive) {
        klass = heapclass_of(&g->classes, s->r.klass);
        if (klass == GRAPH_NO_CLASS)
            return E_LIMIT;
        struct heapclass_row *row = heapclass_row(&g->classes, klass);
        row->objects++;
        row->elements += s->r.count;
        row->is_array = row->is_array || s->tag == HEAP_RECORD_OBJECTS;
    }
    heaplayout_keep(&r->layout, s, klass);
    g->facts.instances += s->tag == HEAP_RECORD_INSTANCE;
    g->facts.object_arrays += s->tag == HEAP_RECORD_OBJECTS;
    g->facts.primitive_arrays += is_primitive;
    return addrmap_add(&g->map, s->r.object);
}

static int root_kind(int tag)
{
    static const struct {
        int tag;
        enum graph_root_kind kind;
    } kinds[] = {
        {HEAP_RECORD_ROOT_UNKNOWN, GRAPH_ROOT_UNKNOWN},
        {HEAP_RECORD_ROOT_JNI_GLOBAL, GRAPH_ROOT_JNI_GLOBAL},
        {HEAP_RECORD_ROOT_JNI_LOCAL, GRAPH_ROOT_JNI_LOCAL},
        {HEAP_RECORD_ROOT_JAVA_FRAME, GRAPH_ROOT_JAVA_FRAME},
        {HEAP_RECORD_ROOT_NATIVE_STACK, GRAPH_ROOT_NATIVE_STACK},
        {HEAP_RECORD_ROOT_SYSTEM_CLASS, GRAPH_ROOT_SYSTEM_CLASS},
        {HEAP_RECORD_ROOT_THREAD_BLOCK, GRAPH_ROOT_THREAD_BLOCK},
        {HEAP_RECORD_ROOT_MONITOR, GRAPH_ROOT_MONITOR},
        {HEAP_RECORD_ROOT_THREAD, GRAPH_ROOT_THREAD},
        {HEAP_RECORD_ROOT_INTERNED, GRAPH_ROOT_INTERNED},
        {HEAP_RECORD_ROOT_FINALIZING, GRAPH_ROOT_FINALIZING},
        {HEAP_RECORD_ROOT_DEBUGGER, GRAPH_ROOT_DEBUGGER},
        {HEAP_RECORD_ROOT_REFERENCE_CLEANUP, GRAPH_ROOT_REFERENCE_CLEANUP},
        {HEAP_RECORD_ROOT_VM_INTERNAL, GRAPH_ROOT_VM_INTERNAL},
        {HEAP_RECORD_ROOT_JNI_MONITOR, GRAPH_ROOT_JNI_MONITOR},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].tag == tag)
            return (int)kinds[i].kind;
    return -1;
}

static int take_root(struct reading *r, const struct dumpscan *s)
{
    struct graph *g = r->g;
    int kind = root_kind(s->tag);
    if (kind < 0 || s->r.object == 0)
        return 0;
    bool has_frame = s->tag == HEAP_RECORD_ROOT_JAVA_FRAME || s->tag == HEAP_RECORD_ROOT_JNI_LOCAL;
    struct graph_raw_root *root = heaproom_list_add(&g->raw_roots, &g->room, sizeof(*root));
    if (!root)
        return E_LIMIT;
    *root = (struct graph_raw_root){.id = s->r.object,
                                    .thread = s->r.thread,
                                    .frame = has_frame ? s->r.frame : UINT32_MAX,
                                    .kind = (enum graph_root_kind)kind};
    if (kind != GRAPH_ROOT_THREAD)
        return 0;
    struct graph_thread *thread = heaproom_list_add(&g->threads, &g->room, sizeof(*thread));
    if (!thread)
        return E_LIMIT;
    *thread =
        (struct graph_thread){.serial = s->r.thread, .trace = s->r.trace, .object = s->r.object};
    return 0;
}

static int take_class(struct reading *r, struct dumpscan *s)
{
    heaplayout_break(&r->layout);
    if (s->r.object == 0) /* null: nothing can refer to it */
        return 1;
    r->layout.id_bits |= s->r.object;
    int error = heapclass_take(&r->g->classes, s);
    r->g->facts.classes++;
    return error < 0 ? error : addrmap_add(&r->g->map, s->r.object);
}

/* Reads all objects. Errors: 0; E_LIMIT; E_RANGE: an id is no multiple of the unit of the map. */
static int read_objects(struct reading *r)
{
    struct graph *g = r->g;
    struct dumpscan s = graph_index_scan(g);
    uint64_t unit_mask = (UINT64_C(1) << g->map.shift) - 1, seen = 0;
    while (dumpscan_next(&s)) {
        int added;
        switch (s.tag) {
        case HEAP_RECORD_CLASS:
            added = take_class(r, &s);
            break;
        case HEAP_RECORD_INSTANCE:
        case HEAP_RECORD_OBJECTS:
        case HEAP_RECORD_PRIMITIVES:
        case HEAP_RECORD_PRIMITIVES_LEFT_OUT:
            added = take_object(r, &s);
            break;
        default:
            heaplayout_break(&r->layout);
            if (take_root(r, &s) < 0)
                return E_LIMIT;
            continue;
        }
        if (added < 0)
            return E_LIMIT;
        if (s.r.object & unit_mask)
            return E_RANGE;
        g->facts.damage.duplicates += added == 0;
        if (++seen % ADVANCE == 0 && g->options.diag)
            diag_advance(g->options.diag, g->path, s.at, g->input.bytes);
        if (s.at >= s.end)
            heaplayout_break(&r->layout);
    }
    if (g->options.diag)
        diag_advance(g->options.diag, g->path, UINT64_MAX, g->input.bytes);
    g->facts.damage.missing_bytes += s.missing;
    g->facts.damage.unknown_records = s.unknown_records;
    g->facts.damage.unknown_at = s.unknown_at;
    return g->scan.error < 0 ? g->scan.error : 0;
}

struct dumpscan graph_index_scan(struct graph *g)
{
    return (struct dumpscan){.window = &g->scan,
                             .id_bytes = g->head.id_bytes,
                             .extents = (const void *)g->extents.at,
                             .extent_count = g->extents.count,
                             .tag = -1};
}

static int by_first(const void *a, const void *b)
{
    const struct graph_block *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static void seal_blocks(struct graph *g)
{
    struct graph_block *blocks = (void *)g->blocks.at;
    bool is_sorted = true;
    for (uint64_t i = 1; i < g->blocks.count && is_sorted; i++)
        is_sorted = blocks[i - 1].first <= blocks[i].first;
    if (!is_sorted)
        qsort(blocks, g->blocks.count, sizeof(*blocks), by_first);
    for (uint64_t i = 1; i < g->blocks.count; i++)
        if (blocks[i].reach < blocks[i - 1].reach)
            blocks[i].reach = blocks[i - 1].reach;
}

static void forget_objects(struct graph *g)
{
    addrmap_done(&g->map);
    heapclass_done(&g->classes);
    heaproom_list_done(&g->blocks, &g->room);
    heaproom_list_done(&g->raw_roots, &g->room);
    heaproom_list_done(&g->threads, &g->room);
}

/* Reads the objects, in units of 8 bytes, or of 1 byte if an id wants it. */
static int read_units(struct graph *g, struct reading *r)
{
    const struct graph_facts before = g->facts;
    int error = E_RANGE;
    for (unsigned shift = 3; error == E_RANGE; shift = 0) {
        g->facts = before;
        *r = (struct reading){.g = g};
        heaplayout_begin(&r->layout);
        addrmap_init(&g->map, &g->room, shift);
        heapclass_init(&g->classes, &g->room, &g->names, &g->look, g->head.id_bytes);
        error = read_objects(r);
        if (error == E_RANGE)
            forget_objects(g);
    }
    return error;
}

/* The extents of the chosen dump: rows with the number of the dump in front. */
struct numbered {
    struct dumpscan_extent extent;
    uint32_t dump;
};

static int choose_dump(struct graph *g, struct heaproom_list *all, char why[GRAPH_WHY])
{
    const struct numbered *rows = (const void *)all->at;
    uint32_t dump = g->options.dump == 0 ? g->facts.dumps : g->options.dump;
    if (g->facts.dumps == 0) {
        snprintf(why, GRAPH_WHY, "the file has no heap dump");
        return E_NOT_FOUND;
    }
    if (dump > g->facts.dumps) {
        snprintf(why, GRAPH_WHY, "--dump %" PRIu32 ": the file has %" PRIu32 " heap dump%s", dump,
                 g->facts.dumps, g->facts.dumps == 1 ? "" : "s");
        return E_NOT_FOUND;
    }
    g->facts.dump = dump;
    for (uint64_t i = 0; i < all->count; i++) {
        struct dumpscan_extent *to;
        if (rows[i].dump != dump)
            continue;
        to = heaproom_list_add(&g->extents, &g->room, sizeof(*to));
        if (!to)
            return E_LIMIT;
        *to = rows[i].extent;
    }
    return 0;
}

/* Reads the records around the objects, through a window. */
static int read_records(struct graph *g, struct heapwindow *w, struct heaproom_list *all)
{
    struct dumpscan_record r;
    uint64_t at = g->head.bytes;
    bool is_open = false;
    int got;
    while ((got = dumpscan_next_record(w, g->head.id_bytes, &at, &r)) > 0) {
        g->facts.damage.missing_bytes += r.missing;
        g->facts.damage.is_cut = g->facts.damage.is_cut || r.missing > 0;
        if (dumpnames_take(&g->names, w, &r) < 0)
            return E_LIMIT;
        if (r.tag == HPROF_BIN_HEAP_DUMP_END)
            is_open = false;
        if (r.tag != HPROF_BIN_HEAP_DUMP && r.tag != HPROF_BIN_HEAP_SEGMENT)
            continue;
        if (!is_open || r.tag == HPROF_BIN_HEAP_DUMP)
            g->facts.dumps++;
        is_open = r.tag == HPROF_BIN_HEAP_SEGMENT;
        struct numbered *row = heaproom_list_add(all, &g->room, sizeof(*row));
        if (!row)
            return E_LIMIT;
        *row = (struct numbered){{.at = r.at, .end = r.at + r.bytes}, g->facts.dumps};
    }
    g->facts.damage.is_cut = g->facts.damage.is_cut || got < 0;
    return w->error;
}

static void sum_up(struct graph *g)
{
    struct graph_facts *f = &g->facts;
    memcpy(f->version, g->head.version, sizeof(f->version));
    f->created_ms = g->head.created_ms;
    f->file_bytes = g->input.bytes;
    f->objects = g->map.count;
    f->damage.is_cut = f->damage.is_cut || f->damage.missing_bytes > 0;
}

void graph_index_forget(struct graph *g)
{
    if (g->map.room)
        addrmap_done(&g->map);
    if (g->classes.room)
        heapclass_done(&g->classes);
    if (g->names.room)
        dumpnames_done(&g->names);
    heaproom_give(&g->room, g->roots, g->root_rows * sizeof(*g->roots));
    heaproom_list_done(&g->extents, &g->room);
    heaproom_list_done(&g->blocks, &g->room);
    heaproom_list_done(&g->raw_roots, &g->room);
    heaproom_list_done(&g->threads, &g->room);
    g->roots = NULL;
    g->map.room = g->classes.room = g->names.room = NULL;
    g->facts = (struct graph_facts){.file_bytes = 0};
}

int graph_index_records(struct graph *g, struct heapwindow *w, char ret_why[GRAPH_WHY])
{
    struct heaproom_list all = {0};
    int error = dumpscan_read_head(w, &g->head);
    if (error < 0) {
        snprintf(ret_why, GRAPH_WHY, "%s",
                 error == E_TRUNCATED ? "the file ends within its head"
                                      : "this is no HPROF file of a known version");
        return error;
    }
    dumpnames_init(&g->names, &g->room, g->head.id_bytes);
    error = read_records(g, w, &all);
    if (error == 0)
        error = choose_dump(g, &all, ret_why);
    heaproom_list_done(&all, &g->room);
    return error < 0 ? error : dumpnames_seal(&g->names);
}

int graph_index_read(struct graph *g, char ret_why[GRAPH_WHY])
{
    struct reading reading = {.g = g};
    int error = graph_index_records(g, &g->scan, ret_why);
    if (error == 0)
        error = read_units(g, &reading);
    if (error == 0 && g->map.count > HEAPNODE_MAX) {
        snprintf(ret_why, GRAPH_WHY, "there are more than %" PRIu64 " objects",
                 (uint64_t)HEAPNODE_MAX);
        return E_LIMIT;
    }
    if (error == 0)
        error = addrmap_seal(&g->map);
    if (error == 0)
        error = heapclass_seal(&g->classes, &g->map);
    if (error < 0)
        return error;
    heaplayout_judge(&reading.layout, g->head.id_bytes, &g->classes, &g->facts.layout);
    heapclass_measure(&g->classes, &g->facts.layout, g->options.sizes);
    seal_blocks(g);
    sum_up(g);
    return graph_root_seal(g);
}
