/*
 * heapimage_dump.c - see heapimage_dump.h.
 *
 * The order is: names, classes, threads, frames and traces, then the dump itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapimage/heapimage_dump.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/hprof_bin.h"
#include "heapdump/dumpwriter_class.h"
#include "heapdump/dumpwriter_run.h"
#include "heapimage/heapimage.h"
#include "hotspot/java_methods.h"
#include "hotspot/target.h"
#include "snapshot/snapshot.h"

enum {
    ID_BYTES = 8,
    TRACE_NONE = 1, /* the trace of objects: it has no frames */
    THREAD_NONE = 0,
    LINE_UNKNOWN = -1,
    LINE_NATIVE = -3,
};

/* The ids of the texts of a method, and the serial of its class. */
struct method {
    const struct java_method *of;
    uint64_t name, signature, source;
    uint32_t class_serial;
};

struct writing {
    struct heapimage *image;
    struct dumpwriter *writer;
    struct method *methods; /* a hash table, by the address of `of` */
    uint32_t mask;
    uint64_t next_frame;
    int error;
};

static uint64_t put_name(struct dumpwriter *w, enum hprof_redact_use use, const char *text)
{
    const struct hprof_redact_rule *rule = &w->facts->redact;
    enum hprof_redact_fate fate = hprof_redact_fate(rule, use);
    uint64_t id = w->next_string++;
    char room[HPROF_REDACT_NAME];
    if (fate != HPROF_REDACT_STAYS)
        text = hprof_redact_name(fate, hprof_redact_number(id), room);
    w->out->ops->string(w->out, id, text, strlen(text));
    return id;
}

static void put_head(struct dumpwriter *w, enum hprof_bin_tag tag, uint32_t bytes)
{
    hprof_bin_head_to(w->out->sink, w->out->created_ms, tag, bytes);
}

/* ---- frames */

static uint32_t serial_of_class(const struct writing *x, uint64_t method)
{
    const struct target *t = &x->image->snapshot->target;
    const struct hs_layout *l = t->layout;
    uint64_t fixed = target_u8(t, method + (uint64_t)l->method_const);
    uint64_t pool = target_u8(t, fixed + (uint64_t)l->const_constants);
    const struct heap_class *k =
        heap_class_find(&x->image->find.classes, target_u8(t, pool + (uint64_t)l->pool_holder));
    const struct dumpwriter_class *c = k ? k->user : NULL;
    return c ? c->out.serial : 0;
}

static const struct method *method_of(struct writing *x, const struct java_method *of)
{
    uint32_t at = (uint32_t)((of->addr >> 3) * 0x9e3779b97f4a7c15ull >> 32) & x->mask;
    while (x->methods[at].of && x->methods[at].of != of)
        at = (at + 1) & x->mask;
    struct method *m = &x->methods[at];
    if (!m->of) {
        m->of = of;
        m->name = put_name(x->writer, HPROF_REDACT_CODE, of->name);
        m->signature = put_name(x->writer, HPROF_REDACT_DESCRIPTOR, of->signature);
        m->source = of->source_file ? put_name(x->writer, HPROF_REDACT_CODE, of->source_file) : 0;
        m->class_serial = serial_of_class(x, of->addr);
    }
    return m;
}

/* Writes the frames of a thread that are Java's. Returns how many; their ids follow *ret_first. */
static uint32_t put_frames(struct writing *x, const struct snapshot_thread *thread,
                           uint64_t *ret_first)
{
    struct dumpwriter *w = x->writer;
    uint32_t count = 0;
    *ret_first = x->next_frame;
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        const struct snapshot_frame *f = &thread->frames[i];
        if (!f->method)
            continue;
        const struct method *m = method_of(x, f->method);
        int32_t line = java_methods_line(&x->image->snapshot->methods, f->method, f->at.bci);
        if (line <= 0)
            line = f->method->is_native ? LINE_NATIVE : LINE_UNKNOWN;
        put_head(w, HPROF_BIN_FRAME, 4 * ID_BYTES + 4 + 4);
        sink_u8(w->out->sink, x->next_frame++);
        sink_u8(w->out->sink, m->name);
        sink_u8(w->out->sink, m->signature);
        sink_u8(w->out->sink, m->source);
        sink_u4(w->out->sink, m->class_serial);
        sink_u4(w->out->sink, (uint32_t)line);
        count++;
    }
    return count;
}

static void put_trace(struct dumpwriter *w, uint32_t serial, uint32_t thread, uint64_t first,
                      uint32_t count)
{
    put_head(w, HPROF_BIN_TRACE, 12 + count * ID_BYTES);
    sink_u4(w->out->sink, serial);
    sink_u4(w->out->sink, thread);
    sink_u4(w->out->sink, count);
    for (uint32_t i = 0; i < count; i++)
        sink_u8(w->out->sink, first + i);
}

/* ---- threads */

static void put_thread(struct writing *x, uint32_t row)
{
    struct dumpwriter *w = x->writer;
    const struct snapshot_thread *thread = &x->image->snapshot->threads[row];
    uint64_t first,
        name = put_name(w, HPROF_REDACT_THREAD, thread->java->name ? thread->java->name : "");
    uint32_t count = put_frames(x, thread, &first);
    if (thread->java->object) {
        put_head(w, HPROF_BIN_START_THREAD, 4 + ID_BYTES + 4 + 3 * ID_BYTES);
        sink_u4(w->out->sink, heapimage_roots_thread(row));
        sink_u8(w->out->sink, thread->java->object);
        sink_u4(w->out->sink, TRACE_NONE);
        sink_u8(w->out->sink, name);
        sink_u8(w->out->sink, 0);
        sink_u8(w->out->sink, 0);
    }
    put_trace(w, heapimage_roots_trace(row), heapimage_roots_thread(row), first, count);
}

static void put_threads(void *arg, struct dumpwriter *w)
{
    struct writing *x = arg;
    const struct snapshot *s = x->image->snapshot;
    uint32_t size = 64;
    while (size < s->methods.count * 2)
        size *= 2;
    x->writer = w;
    x->methods = calloc(size, sizeof(*x->methods));
    x->mask = size - 1;
    if (!x->methods) {
        x->error = -ENOMEM;
        return;
    }
    put_trace(w, TRACE_NONE, THREAD_NONE, 0, 0);
    for (uint32_t i = 0; i < s->java.platform_count && i < s->thread_count; i++)
        put_thread(x, i);
}

/* ---- all */

static void put_header(struct sink *s, int64_t created_ms)
{
    static const char version[] = "JAVA PROFILE 1.0.2";
    sink_bytes(s, version, sizeof(version));
    sink_u4(s, ID_BYTES);
    sink_u8(s, (uint64_t)created_ms);
}

static int write_with(struct heapimage *h, struct hprof_heap *out,
                      const struct heapimage_dump_how *how, struct heapimage_dump *ret_dump)
{
    struct writing x = {.image = h, .next_frame = 1};
    struct dumpwriter_known *known = calloc(h->class_count, sizeof(*known));
    const struct dumpwriter_facts facts = {
        .known = known,
        .roots = h->roots.rows,
        .known_count = h->class_count,
        .root_count = h->roots.count,
        .system_trace = TRACE_NONE,
        .unknown_thread = THREAD_NONE,
        .classes_known = put_threads,
        .classes_known_arg = &x,
        /* as in the JVM's own dumps; some readers stop at constants */
        .leave_constants = true,
        .shows_resolved = true,
        .redact = how->redact,
        .leave_long_arrays = how->leaves_long_arrays,
    };
    struct dumpwriter w = {.facts = &facts,
                           .heap = &h->heap,
                           .find = &h->find,
                           .out = out,
                           .next_string = 1,
                           .next_serial = 1,
                           .why = ""};
    int error = known ? 0 : -ENOMEM;
    for (uint32_t i = 0; known && i < h->class_count; i++)
        known[i].klass = h->classes[i].klass;
    if (!error)
        error = dumpwriter_run(&w);
    h->why = w.why ? w.why : "";
    *ret_dump = (struct heapimage_dump){w.objects, w.lost_links, out->cuts};
    free(known);
    free(x.methods);
    return error ? error : x.error;
}

int heapimage_dump_write(struct heapimage *h, struct sink *s, const struct heapimage_dump_how *how,
                         struct heapimage_dump *ret_dump)
{
    struct hprof_heap out = {.ops = &hprof_heap_bin,
                             .sink = s,
                             .buffer = malloc(HPROF_HEAP_SEGMENT),
                             .buffer_bytes = HPROF_HEAP_SEGMENT,
                             .id_bytes = ID_BYTES,
                             .has_segments = true,
                             .created_ms = how->created_ms};
    if (!out.buffer)
        return -ENOMEM;
    put_header(s, how->created_ms);
    int error = write_with(h, &out, how, ret_dump);
    free(out.buffer);
    return error;
}
