/*
 * dumpwriter_run.c - see dumpwriter_run.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapdump/dumpwriter_run.h"
#include <errno.h>
#include <stdbool.h>
#include "base/err.h"
#include "base/pages.h"
#include "base/pair.h"
#include "base/sink.h"
#include "heapdump/dumpwriter_class.h"
#include "heapdump/dumpwriter_id.h"
#include "heapdump/dumpwriter_value.h"
#include "hotspot/target.h"

enum {
    PIECE = 512,           /* elements written in one call */
    HEAP_PIECE = 16 << 20, /* bytes of heap that a thread takes at a time */
};

/* JVM TI calls everything that the boot loader holds a system class. Since JDK 9 this includes the
 * arrays that hold the resolved constants of classes; these are roots, but no classes. */
static void name_system_class(struct dumpwriter *w, struct hprof_heap_root *r, uint64_t object)
{
    struct heap_class *k = heap_class_of_mirror(&w->find->classes, object);
    const struct dumpwriter_class *c = k ? k->user : NULL;
    r->name = c ? c->out.name : NULL;
    if (!heap_class_is_mirror(&w->find->classes, object))
        r->kind = HPROF_ROOT_UNKNOWN;
}

/* The class in the dump that a mirror describes, by the CLASS DUMP record of its own; NULL: none.
 */
static const struct dumpwriter_class *class_of_mirror(const struct dumpwriter *w, uint64_t mirror,
                                                      uint64_t klass)
{
    const struct heap_class *k = heap_class_find(&w->find->classes, klass);
    const struct dumpwriter_class *c = k ? k->user : NULL;
    return c && c->out.object == dumpwriter_id_of(w, mirror) ? c : NULL;
}

static uint64_t klass_of_mirror(const struct dumpwriter *w, uint64_t mirror)
{
    return heap_u8(w->heap, mirror + (uint64_t)w->find->classes.facts.mirror_klass);
}

/* Whether a mirror is written as an instance. The mirror of a class in the dump is not: it has a
 * CLASS DUMP record. The mirror of a primitive type like int has no Klass and is an instance. The
 * mirror of a class in a CDS archive that no loader has loaded gets neither record, as in HotSpot's
 * own dumps (heapDumper.cpp, do_object). */
static bool is_instance(const struct dumpwriter *w, uint64_t mirror)
{
    uint64_t klass = klass_of_mirror(w, mirror);
    int32_t at = w->find->classes.facts.klass_loader_data;
    if (class_of_mirror(w, mirror, klass))
        return false;
    return klass == 0 || at < 0 || target_u8(w->heap->target, klass + (uint64_t)at) != 0;
}

/* Whether a marked object gets a record. A word of a stack may lead to a mirror that gets none. */
static bool has_record(const struct dumpwriter *w, uint64_t object)
{
    const struct heap_class *k = heap_class_find(&w->find->classes, heap_klass(w->heap, object));
    if (!k || !k->user)
        return false;
    return k->kind != HEAP_MIRROR || class_of_mirror(w, object, klass_of_mirror(w, object)) ||
           is_instance(w, object);
}

static void write_roots(struct dumpwriter *w)
{
    uint64_t references = 0;
    hprof_heap_root_of_unknown(w->out, w->facts->unknown_thread, w->facts->system_trace);
    for (uint32_t i = 0; i < w->facts->root_count; i++) {
        struct hprof_heap_root r = w->facts->roots[i];
        uint64_t object = heap_resolve(w->heap, r.object);
        if (!heap_mark_has(&w->find->mark, object) || !has_record(w, object))
            continue;
        r.object = dumpwriter_id_of(w, object);
        if (r.kind == HPROF_ROOT_JNI_GLOBAL) {
            r.reference = ++references;
            r.trace = w->facts->system_trace;
        }
        if (r.kind == HPROF_ROOT_SYSTEM_CLASS)
            name_system_class(w, &r, object);
        hprof_heap_root(w->out, &r, w->facts->unknown_thread);
    }
}

/* Writes null for the referent of a weak reference if the referent is not reachable otherwise,
 * because the collector will clear the reference. */
static void clear_weak(const struct dumpwriter *w, const struct heap_class *k, uint64_t object,
                       const struct dumpwriter_class *c, uint64_t *values)
{
    for (uint32_t i = 0; i < c->out.value_count; i++) {
        uint32_t offset = c->out.values[i].offset;
        if (offset != k->ref.referent && offset != k->ref.discovered)
            continue;
        if (!heap_mark_has(&w->find->mark,
                           heap_resolve(w->heap, heap_reference(w->heap, object + offset))))
            values[i] = 0;
    }
}

static void write_elements(struct dumpwriter *w, const struct heap_class *k, uint64_t object,
                           const struct hprof_heap_object *o)
{
    uint64_t ids[PIECE], at = object + k->array.header_bytes;
    uint32_t count = heap_array_length(w->heap, object);
    w->out->ops->objects(w->out, o, count);
    if (w->copies) {
        w->out->ops->elements_at(w->out, heap_bytes(w->heap, at), count);
        return;
    }
    for (uint32_t done = 0; done < count;) {
        uint32_t n = count - done < PIECE ? count - done : PIECE;
        for (uint32_t i = 0; i < n; i++, at += w->heap->reference_bytes)
            ids[i] = dumpwriter_id_at(w, at);
        w->out->ops->elements(w->out, ids, n);
        done += n;
    }
    if (count == 0)
        w->out->ops->elements(w->out, ids, 0);
}

static void write_instance(struct dumpwriter *w, const struct heap_class *k, uint64_t object,
                           const struct hprof_heap_object *o)
{
    const struct dumpwriter_class *c = k->user;
    uint64_t first_value = dumpwriter_value_fill(w, c, object);
    if (k->ref.strength != HEAP_STRONG)
        clear_weak(w, k, object, c, w->values);
    w->out->ops->instance(w->out, o, w->values);
    dumpwriter_value_write(w, c, object, first_value, o->trace);
}

/* The trace of the last site is kept, because objects of one site often lie side by side. */
static inline uint32_t trace_of(struct dumpwriter *w, uint64_t object)
{
    uint32_t site;
    if (!w->facts->sites)
        return w->facts->system_trace;
    site = w->facts->sites[(object - w->heap->low) >> 3];
    if (site != w->last_site || !w->last_trace) {
        w->last_site = site;
        w->last_trace = w->facts->trace_of(w->facts->trace_arg, site);
    }
    return w->last_trace;
}

static void write_primitives(struct dumpwriter *w, const struct heap_class *k, uint64_t object,
                             const struct hprof_heap_object *o)
{
    const struct dumpwriter_facts *f = w->facts;
    enum hprof_heap_type type = (enum hprof_heap_type)k->array.element_type;
    uint32_t count = f->leave_primitive_arrays ? 0 : heap_array_length(w->heap, object);
    if (f->leave_long_arrays && (uint64_t)count * hprof_heap_size(type, 0) > DUMPWRITER_LONG_ARRAY)
        w->out->ops->left_out(w->out, o, type, count);
    else
        w->out->ops->primitives(
            w->out, o, type, count,
            w->kept_types >> type & 1 ? heap_bytes(w->heap, object + k->array.header_bytes) : NULL);
}

static void write_object(struct dumpwriter *w, const struct heap_class *k, uint64_t object)
{
    const struct dumpwriter_class *c = k->user;
    struct hprof_heap_object o = {
        .id = dumpwriter_id_of(w, object),
        .trace = trace_of(w, object),
    };
    if (!c || (k->kind == HEAP_MIRROR && !is_instance(w, object)))
        return;
    if (!w->copies)
        o.bytes = heap_class_object_bytes(&w->find->classes, k, object);
    if (k->kind == HEAP_PRIMITIVE_ARRAY) {
        write_primitives(w, k, object, &o);
    } else {
        o.klass = &c->out;
        if (k->kind == HEAP_OBJECT_ARRAY)
            write_elements(w, k, object, &o);
        else if (k->kind == HEAP_FLAT_ARRAY)
            dumpwriter_value_array(w, k, object, &o);
        else
            write_instance(w, k, object, &o);
    }
    w->objects++;
}

/* The rest of the heap, which threads take in pieces. */
struct dumpwriter_pieces {
    struct pair_lock lock;
    uint32_t range; /* the current range, and how much of it is done */
    uint64_t done;
};

static int cut_piece(const struct dumpwriter *w, struct dumpwriter_pieces *p,
                     struct heap_range *ret_piece)
{
    const struct heap_range *r = &w->find->ranges[p->range];
    while (p->range < w->find->range_count && p->done >= r->top - r->bottom) {
        p->range++;
        p->done = 0;
        r++;
    }
    if (p->range == w->find->range_count)
        return 0;
    uint64_t from = r->bottom + p->done, rest = r->top - from;
    p->done += rest < HEAP_PIECE ? rest : HEAP_PIECE;
    *ret_piece = (struct heap_range){.bottom = from, .top = r->bottom + p->done};
    return 1;
}

/* Takes the next piece. Returns 0 if there is none. */
static int next_piece(const struct dumpwriter *w, struct heap_range *ret_piece)
{
    pair_take(&w->pieces->lock);
    bool has = cut_piece(w, w->pieces, ret_piece);
    pair_give(&w->pieces->lock);
    return has;
}

/* The address where an object ends. */
static uint64_t end_of(const struct dumpwriter *w, uint64_t object)
{
    const struct heap_class *k = heap_class_find(&w->find->classes, heap_klass(w->heap, object));
    return k ? object + heap_class_object_bytes(&w->find->classes, k, object) : object;
}

/* Writes the objects of a piece. Instances are copied if possible and if the buffer has room; all
 * others are written by write_object(). Only the objects that begin in the piece are reported as
 * written, because the bytes in front of the first one may be the end of an object that another
 * thread is writing. */
static inline __attribute__((always_inline)) void
write_piece(struct dumpwriter *w, const struct heap_range *piece, uint32_t id_bytes)
{
    struct heap_mark_cursor cursor = heap_mark_cursor(&w->find->mark, piece->bottom, piece->top);
    struct hprof_heap *out = w->out;
    const struct hprof_heap_refs refs = out->refs;
    const unsigned char *end = out->buffer + out->buffer_bytes;
    unsigned char *to = out->buffer + out->used;
    uint64_t object, copied = 0, first = 0, final = 0;
    while ((object = heap_mark_cursor_next(&cursor)) != 0) {
        const struct heap_class *k =
            heap_class_find(&w->find->classes, heap_klass(w->heap, object));
        const struct dumpwriter_class *c = k ? k->user : NULL;
        final = object;
        if (first == 0)
            first = object;
        if (c && c->is_copied && (size_t)(end - to) >= c->copy.room_bytes) {
            to = hprof_heap_copy_instance(&c->copy, &refs, id_bytes, dumpwriter_id_of(w, object),
                                          trace_of(w, object), heap_bytes(w->heap, object), to);
            if (c->copy.has_zeros)
                hprof_heap_copy_zeros(&c->copy, id_bytes, to);
            copied++;
        } else if (c) {
            out->used = (size_t)(to - out->buffer);
            write_object(w, k, object);
            to = out->buffer + out->used;
        }
    }
    out->used = (size_t)(to - out->buffer);
    w->objects += copied;
    if (final && w->facts->written)
        w->facts->written(w->facts->written_arg, first, end_of(w, final));
}

static void write_pieces(struct dumpwriter *w)
{
    struct heap_range piece;
    while (!sink_error(w->out->sink) && next_piece(w, &piece)) {
        if (w->out->id_bytes == 8)
            write_piece(w, &piece, 8);
        else
            write_piece(w, &piece, 4);
    }
}

static void write_as_member(void *arg, int member)
{
    struct dumpwriter *const *both = arg;
    write_pieces(both[member]);
}

/* A second dumpwriter for a second thread, which writes other objects to the same sink; NULL: no
 * memory. */
static struct dumpwriter *make_other(struct dumpwriter *w)
{
    struct dumpwriter *other = arena_alloc(w->find->arena, sizeof(*other));
    struct hprof_heap *out = arena_alloc(w->find->arena, sizeof(*out));
    uint64_t *values = arena_alloc(w->find->arena, (w->value_max + 1) * sizeof(*values));
    if (!other || !out || !values)
        return NULL;
    *other = *w;
    *out = *w->out;
    out->used = 0;
    out->cuts.count = 0;
    out->buffer = pages_map(out->buffer_bytes);
    other->out = out;
    other->values = values;
    other->objects = other->lost_links = 0;
    return out->buffer ? other : NULL;
}

static int write_objects(struct dumpwriter *w)
{
    struct dumpwriter_pieces pieces = {.range = 0};
    struct pair_lock lock = {0};
    struct dumpwriter *both[2] = {w, NULL};
    w->pieces = &pieces;
    if (w->out->ops == &hprof_heap_bin) {
        w->out->lock = &lock;
        both[1] = make_other(w);
    }
    if (both[1]) {
        /* VisualVM takes every record after the first object for an object */
        hprof_heap_bin_flush(w->out);
        pair_run(write_as_member, both);
        hprof_heap_bin_flush(both[1]->out);
        w->objects += both[1]->objects;
        w->lost_links += both[1]->lost_links;
        hprof_heap_cuts_add(&w->out->cuts, &both[1]->out->cuts);
    } else {
        write_pieces(w);
    }
    w->out->lock = NULL;
    int error = sink_error(w->out->sink);
    return error ? error : dumpwriter_value_check_ids(w);
}

/* An id of four bytes is the number of the object's place, so too many places would get equal
 * ids. */
int dumpwriter_run_check_ids(struct dumpwriter *w)
{
    if (w->out->id_bytes == 8 || (w->heap->high - w->heap->low) >> 3 < UINT32_MAX)
        return 0;
    w->why = "the heap is too large for ids of 4 bytes";
    return E_LIMIT;
}

/* Decides whether objects can be copied from memory to the file. This is possible if each reference
 * leads to an object that is written under the address in the reference. */
static void set_copies(struct dumpwriter *w)
{
    const struct heap *h = w->heap;
    struct hprof_heap_refs *r = &w->out->refs;
    w->has_lost = w->find->with_unreachable || (w->find->is_foreign && w->find->mark.broken > 0);
    w->copies = w->out->ops->elements_at && !w->has_lost && !w->find->mark.forwarded;
    *r = (struct hprof_heap_refs){.bytes = h->reference_bytes};
    if (h->reference_bytes == 4) {
        r->base = h->oops.refs.base;
        r->shift = (uint32_t)h->oops.refs.shift;
    }
    if (w->out->id_bytes == 4) { /* the same computation as dumpwriter_id_of() */
        r->base += 8 - h->low;
        r->down = 3;
    }
}

int dumpwriter_run(struct dumpwriter *w)
{
    bool classes_last = w->out->ops == &hprof_heap_text; /* the original hprof printed it so */
    uint64_t value_ids = 0;
    w->value_ids = &value_ids;
    w->kept_types = hprof_redact_kept_types(&w->facts->redact);
    set_copies(w);
    w->object_class = heap_class_at(&w->find->classes, w->find->classes.class_klass);
    while (w->object_class && w->object_class->super)
        w->object_class = w->object_class->super;
    int error = dumpwriter_class_all(w);
    if (error == 0) {
        w->values = arena_alloc(w->find->arena, (w->value_max + 1) * sizeof(*w->values));
        error = w->values ? 0 : -ENOMEM;
    }
    if (error)
        return error;
    if (w->facts->classes_known)
        w->facts->classes_known(w->facts->classes_known_arg, w);
    uint64_t values = 0;
    /* The text format says in front of the objects how many there are; the binary format does
     * not. */
    if (w->out->ops == &hprof_heap_text && w->find->classes.has_flat)
        values = dumpwriter_value_count(w);
    w->out->ops->begin(w->out, w->find->mark.objects + w->find->parse.objects + values,
                       w->find->mark.bytes + w->find->parse.bytes);
    write_roots(w);
    if (!classes_last)
        dumpwriter_class_dump(w);
    error = write_objects(w);
    if (classes_last)
        dumpwriter_class_dump(w);
    w->out->ops->end(w->out);
    sink_flush(w->out->sink);
    if (!error)
        error = w->out->error ? w->out->error : sink_error(w->out->sink);
    return error;
}
