/*
 * heapdump_pause.c - a heap dump inside the pause, by JVM TI alone.
 *
 * This way is for a heap that a fork does not freeze, or that cannot be read from outside.
 * FollowReferences reports the class of an object, then its fields or elements, before it goes on
 * to the next object. So only one object is put together at a time; it is written when the next
 * object begins. The id of an object is the tag that it gets when it is first seen. Data that JVM
 * TI does not show (the fields of java.lang.Class itself) is zero. Weak references are followed
 * here, because JVM TI follows them.
 *
 * Source: JVM TI specification, FollowReferences and jvmtiHeapReferenceInfoField.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/heapdump/heapdump.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/heapdump/heapdump_plan.h"
#include "agent/heapdump/heapdump_values.h"
#include "base/err.h"
#include "base/pages.h"
#include "format/hprof_redact.h"
#include "format/hprof_serial.h"
#include "options/options_heapdump.h"
#include "safe/clock.h"
#include "vm/vm_heap.h"

enum {
    PIECE = 512,
    /* objects between two looks at the memory; their tags and rows take a quarter of a megabyte */
    LOOK = 1 << 12,
    /* bytes for each object that are needed when the VM doubles its tables of tags and of objects
     * to visit */
    GROWTH = 32,
    FIRST =
        12 << 20, /* bytes that every walk takes: the VM's marks and buffers, pages of the file */
};

static const uint64_t objects_max = (uint64_t)1 << 32;

/* The facts about an object that has been seen. */
struct seen {
    uint32_t klass; /* number of its class, from 1 */
    uint32_t length;
    uint32_t words;
    uint32_t is_written;
};

struct walk {
    struct heapdump *d;
    struct heapdump_plan plan;
    uint32_t kept_types; /* bit N: arrays of the type N keep their elements */
    struct seen *seen;   /* indexed by tag */
    uint64_t first;      /* the first tag of an object that is neither thread nor class */
    uint64_t tags;       /* the last tag that was given */
    struct heapdump_values numbers; /* numbers of value objects, which have no tags */
    uint64_t *values;               /* fields or elements of the current object */
    uint64_t values_max, values_used;
    uint64_t current; /* tag of the current object; 0: none */
    uint64_t objects, bytes, unknown;
    /* when the first object came: the program is stopped; 0: no object has come */
    uint64_t stopped_ns;
    uint64_t
        looked_at; /* bytes that had been written to the file when the memory was looked at last */
    bool has_begun;
    int error;
};

static struct heapdump_plan_class *class_of(struct walk *w, uint64_t number)
{
    return number >= 1 && number <= w->plan.count ? &w->plan.classes[number - 1] : NULL;
}

/* The number of a class from its tag; 0: it is no class. The tags of classes follow those of
 * threads. */
static uint64_t class_number(const struct walk *w, jlong class_tag)
{
    uint64_t number = (uint64_t)class_tag - w->d->frozen.threads.count;
    return class_tag > (jlong)w->d->frozen.threads.count && number <= w->plan.count ? number : 0;
}

/* The id of an object in the file. */
static uint64_t id_of(struct walk *w, uint64_t tag)
{
    const struct heapdump_plan_class *c = class_of(w, class_number(w, (jlong)tag));
    return c ? c->out.object : tag;
}

static void write_roots(struct walk *w)
{
    struct heapdump *d = w->d;
    uint64_t references = 0;
    w->has_begun = true;
    heapdump_plan_write(&w->plan);
    d->file.out.ops->begin(&d->file.out, w->objects, w->bytes);
    hprof_heap_root_of_unknown(&d->file.out, HPROF_SERIAL_THREAD_UNKNOWN,
                               HPROF_SERIAL_TRACE_SYSTEM);
    for (uint32_t i = 0; i < d->frozen.roots.count; i++) {
        struct hprof_heap_root r = d->frozen.roots.rows[i];
        const struct heapdump_plan_class *c = class_of(w, class_number(w, (jlong)r.object));
        r.object = id_of(w, r.object);
        if (r.kind == HPROF_ROOT_JNI_GLOBAL)
            r.reference = ++references;
        if (r.kind == HPROF_ROOT_SYSTEM_CLASS && c)
            r.name = c->out.name;
        else if (r.kind == HPROF_ROOT_SYSTEM_CLASS) /* the boot loader also holds other objects */
            r.kind = HPROF_ROOT_UNKNOWN;
        hprof_heap_root(&d->file.out, &r, HPROF_SERIAL_THREAD_UNKNOWN);
    }
    w->objects = w->bytes = 0;
}

static struct hprof_heap_object head_of(const struct walk *w, uint64_t tag,
                                        const struct heapdump_plan_class *c)
{
    return (struct hprof_heap_object){.id = tag,
                                      .bytes = (uint64_t)w->seen[tag].words * 8,
                                      .trace = HPROF_SERIAL_TRACE_SYSTEM,
                                      .klass = &c->out};
}

/* The current object is complete: write it. */
static void finish(struct walk *w)
{
    struct hprof_heap *out = &w->d->file.out;
    struct seen *s = &w->seen[w->current];
    struct heapdump_plan_class *c = w->current ? class_of(w, s->klass) : NULL;
    uint64_t tag = w->current;
    w->current = 0;
    if (!tag || s->is_written || class_number(w, (jlong)tag))
        return;
    s->is_written = 1;
    if (!c) {
        w->unknown++;
        return;
    }
    struct hprof_heap_object o = head_of(w, tag, c);

    w->objects++;
    w->bytes += o.bytes;
    if (c->element_type) {
        if (s->length == 0) /* an array with elements was written by on_array() */
            out->ops->primitives(out, &o, c->element_type, 0, NULL);
    } else if (c->is_array) {
        out->ops->objects(out, &o, s->length);
        for (uint32_t at = 0; at < s->length; at += PIECE)
            out->ops->elements(out, w->values + at,
                               s->length - at < PIECE ? s->length - at : PIECE);
        if (s->length == 0)
            out->ops->elements(out, w->values, 0);
    } else {
        out->ops->instance(out, &o, w->values);
    }
}

/* Looks whether `bytes` more can be taken. The VM's tags may take more memory than the objects. If
 * memory is short, the dump ends, so that the program can go on. */
static void look_at_room(struct walk *w, uint64_t bytes)
{
    struct heapdump *d = w->d;
    const char *full;
    w->looked_at = d->file.sink.written;
    headroom_look(&d->frozen.headroom, clock_monotonic_ns());
    full = headroom_ends(&d->frozen.headroom, bytes + GROWTH * w->tags);
    if (full && d->file.sink.fd >= 0 && fdatasync(d->file.sink.fd) == 0) {
        /* The bytes that the dump has written may fill the memory cgroup until they are on the
         * disk. */
        headroom_look(&d->frozen.headroom, clock_monotonic_ns());
        full = headroom_ends(&d->frozen.headroom, bytes + GROWTH * w->tags);
    }
    if (full) {
        snprintf(d->frozen.status->why, sizeof(d->frozen.status->why), "%s", full);
        w->error = -ENOMEM;
    }
}

/* The sink calls this before each piece, because a few large objects may already be megabytes of
 * pages that wait for the disk. */
static int ask_for_room(void *arg)
{
    struct walk *w = arg;
    if (!w->error && w->d->file.sink.written - w->looked_at >= SINK_PIECE)
        look_at_room(w, 0);
    return w->error;
}

static void clear_values(struct walk *w, uint64_t count)
{
    uint64_t bytes = count * sizeof(*w->values);
    if (bytes > w->values_used) {
        look_at_room(w, bytes - w->values_used);
        w->values_used = bytes;
    }
    if (!w->error)
        memset(w->values, 0, bytes);
}

/* The callbacks now report the object with this tag. Writes the object before it. */
static void begin(struct walk *w, uint64_t tag)
{
    struct heapdump_plan_class *c;
    if (tag == w->current)
        return;
    finish(w);
    w->current = tag;
    c = class_of(w, w->seen[tag].klass);
    if (c && c->is_array && !c->element_type)
        clear_values(w, w->seen[tag].length);
    else if (c && !c->is_array)
        clear_values(w, c->value_count);
}

static uint64_t next_tag(struct walk *w)
{
    if (w->tags < objects_max && ++w->tags % LOOK == 0)
        look_at_room(w, 0);
    return w->tags;
}

/* The number of a value object, which is given when the object is first seen. 0: no memory. */
static uint64_t tag_of_value(struct walk *w, uint64_t place, uint32_t klass)
{
    uint64_t number = heapdump_values_find(&w->numbers, place, klass),
             bytes = number ? 0 : heapdump_values_growth(&w->numbers);
    if (number)
        return number;
    if (bytes > 0)
        look_at_room(w, bytes);
    if (w->error)
        return 0;
    number = next_tag(w);
    w->error = heapdump_values_add(&w->numbers, place, klass, (uint32_t)number);
    return w->error ? 0 : number;
}

/* The tag of an object that already has one; 0: it has none. */
static uint64_t tag_again(const struct walk *w, const jlong *tag_ptr, jlong class_tag)
{
    uint64_t place;
    if (!vm_heap_is_value(tag_ptr, &place))
        return *tag_ptr > 0 ? (uint64_t)*tag_ptr : 0;
    return heapdump_values_find(&w->numbers, place, (uint32_t)class_number(w, class_tag));
}

/* The tag of an object, which is given when the object is first seen; 0: no memory. The bytes of a
 * flat value are those of its holder. */
static uint64_t tag_of(struct walk *w, jlong *tag_ptr, jlong class_tag, jlong size, jint length)
{
    uint32_t klass = (uint32_t)class_number(w, class_tag);
    uint64_t place;
    bool is_value = vm_heap_is_value(tag_ptr, &place);
    if (!is_value && *tag_ptr == 0)
        *tag_ptr = (jlong)next_tag(w);
    uint64_t tag = is_value ? tag_of_value(w, place, klass) : (uint64_t)*tag_ptr;
    struct seen *s = &w->seen[tag];

    if (tag != 0 && s->words == 0) {
        s->klass = klass;
        s->length = length > 0 ? (uint32_t)length : 0;
        s->words = vm_heap_is_flat(tag_ptr) ? 0 : (uint32_t)((uint64_t)size / 8);
    }
    return tag;
}

/* Whether the object gets a record. It gets none if its class was loaded after the classes were
 * listed, and then no other record may name it. */
static bool is_told(struct walk *w, uint64_t tag)
{
    return class_of(w, w->seen[tag].klass) || class_number(w, (jlong)tag);
}

static void note_class_link(struct walk *w, jvmtiHeapReferenceKind kind,
                            const jvmtiHeapReferenceInfo *info, struct heapdump_plan_class *c,
                            uint64_t id)
{
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_CLASS_LOADER:
        c->out.loader = id;
        break;
    case JVMTI_HEAP_REFERENCE_SIGNERS:
        c->out.signers = id;
        break;
    case JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN:
        c->out.domain = id;
        break;
    case JVMTI_HEAP_REFERENCE_STATIC_FIELD:
        heapdump_plan_static(&w->plan, c, info->field.index, id);
        break;
    case JVMTI_HEAP_REFERENCE_CONSTANT_POOL:
        if (!options_heapdump_of(&w->d->recording->options)->plain)
            heapdump_plan_constant(&w->plan, c, info->constant_pool.index, id);
        break;
    default:
        break;
    }
}

static void note_link(struct walk *w, jvmtiHeapReferenceKind kind,
                      const jvmtiHeapReferenceInfo *info, uint64_t referrer, uint64_t id)
{
    struct heapdump_plan_class *c = class_of(w, class_number(w, (jlong)referrer));
    int32_t at;
    begin(w, referrer);
    if (c) {
        note_class_link(w, kind, info, c, id);
        return;
    }
    c = class_of(w, w->seen[referrer].klass);
    if (c && kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT &&
        (uint32_t)info->array.index < w->seen[referrer].length) {
        w->values[info->array.index] = id;
    } else if (c && kind == JVMTI_HEAP_REFERENCE_FIELD) {
        at = heapdump_plan_value(c, info->field.index);
        if (at >= 0)
            w->values[at] = id;
    }
}

/* Whether the agent itself has made this reference to a class or thread. The agent has made one
 * reference to each class; own_locals and own_globals count its references to each thread. */
static int take_off(struct walk *w, const struct hprof_heap_root *r)
{
    struct heapdump *d = w->d;
    struct heapdump_plan_class *c = class_of(w, class_number(w, (jlong)r->object));
    struct frozen_thread *t = frozen_threads_tagged(&d->frozen.threads, (jlong)r->object);
    int *taken = NULL;
    if (c && r->kind == HPROF_ROOT_JNI_LOCAL)
        taken = &c->own_locals;
    else if (t && r->kind == HPROF_ROOT_JNI_LOCAL)
        taken = &t->own_locals;
    else if (t)
        taken = &t->own_globals;
    return taken && (*taken)-- > 0;
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                                 jlong class_tag, jlong referrer_class_tag, jlong size,
                                 jlong *tag_ptr, jlong *referrer_tag_ptr, jint length, void *arg)
{
    struct walk *w = arg;
    struct heapdump *d = w->d;
    uint64_t tag;
    if (!w->stopped_ns)
        w->stopped_ns = clock_monotonic_ns();
    if (*tag_ptr == FROZEN_VM_SENTINEL)
        return 0;
    if (!w->error && (w->tags >= objects_max || sink_error(&d->file.sink)))
        w->error = sink_error(&d->file.sink) ? sink_error(&d->file.sink) : E_LIMIT;
    if (w->error)
        return JVMTI_VISIT_ABORT;
    tag = tag_of(w, tag_ptr, class_tag, size, length);
    if (tag == 0) {
        w->error = w->error ? w->error : E_LIMIT;
        return JVMTI_VISIT_ABORT;
    }
    if (referrer_tag_ptr) {
        if (!w->has_begun)
            write_roots(w);
        note_link(w, kind, info, tag_again(w, referrer_tag_ptr, referrer_class_tag),
                  is_told(w, tag) ? id_of(w, tag) : 0);
        return JVMTI_VISIT_OBJECTS;
    }
    if (!is_told(w, tag))
        return JVMTI_VISIT_OBJECTS;
    frozen_roots_add(&d->frozen.roots, &d->frozen.threads, kind, info, tag);
    if (d->frozen.roots.count > 0) {
        struct hprof_heap_root *r = &d->frozen.roots.rows[d->frozen.roots.count - 1];
        if (r->is_own && take_off(w, r)) {
            d->frozen.roots.count--;
            return 0;
        }
        frozen_roots_name_tagged(&d->frozen.roots, &d->frozen.threads, (jlong)tag);
    }
    return JVMTI_VISIT_OBJECTS;
}

static uint64_t bits_of(jvalue value, jvmtiPrimitiveType type)
{
    switch (type) {
    case JVMTI_PRIMITIVE_TYPE_BOOLEAN:
        return value.z;
    case JVMTI_PRIMITIVE_TYPE_BYTE:
        return (uint8_t)value.b;
    case JVMTI_PRIMITIVE_TYPE_CHAR:
        return value.c;
    case JVMTI_PRIMITIVE_TYPE_SHORT:
        return (uint16_t)value.s;
    case JVMTI_PRIMITIVE_TYPE_INT:
    case JVMTI_PRIMITIVE_TYPE_FLOAT:
        return (uint32_t)value.i;
    default:
        return (uint64_t)value.j;
    }
}

static jint JNICALL on_primitive(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                                 jlong class_tag, jlong *tag_ptr, jvalue value,
                                 jvmtiPrimitiveType type, void *arg)
{
    struct walk *w = arg;
    struct heapdump_plan_class *c;
    uint64_t tag = tag_again(w, tag_ptr, class_tag);
    int32_t at;
    if (tag == 0 || *tag_ptr == FROZEN_VM_SENTINEL)
        return 0;
    if (kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD) {
        c = class_of(w, class_number(w, *tag_ptr));
        if (c)
            heapdump_plan_static(&w->plan, c, info->field.index, bits_of(value, type));
        return 0;
    }
    begin(w, tag);
    c = class_of(w, w->seen[tag].klass);
    at = c ? heapdump_plan_value(c, info->field.index) : -1;
    if (at >= 0)
        w->values[at] = bits_of(value, type);
    return 0;
}

static jint JNICALL on_array(jlong class_tag, jlong size, jlong *tag_ptr, jint count,
                             jvmtiPrimitiveType type, const void *elements, void *arg)
{
    struct walk *w = arg;
    struct heapdump *d = w->d;
    struct heapdump_plan_class *c;
    if (*tag_ptr <= 0 || *tag_ptr == FROZEN_VM_SENTINEL)
        return 0;
    begin(w, (uint64_t)*tag_ptr);
    c = class_of(w, w->seen[*tag_ptr].klass);
    if (!c || !c->element_type || count == 0 || w->seen[*tag_ptr].is_written)
        return 0;
    struct hprof_heap_object o = head_of(w, (uint64_t)*tag_ptr, c);

    w->seen[*tag_ptr].is_written = 1;
    w->objects++;
    w->bytes += o.bytes;
    const struct options_heapdump *options = options_heapdump_of(&d->recording->options);
    d->file.out.ops->primitives(&d->file.out, &o, c->element_type,
                                options->primarrays ? (uint32_t)count : 0,
                                w->kept_types >> c->element_type & 1 ? elements : NULL);
    return 0;
}

/* Writes the objects that were seen but whose contents were never reported, for example int.class,
 * whose fields JVM TI hides. */
static void write_rest(struct walk *w)
{
    for (uint64_t tag = w->first; tag <= w->tags; tag++) {
        struct heapdump_plan_class *c = class_of(w, w->seen[tag].klass);
        if (w->seen[tag].is_written || w->seen[tag].words == 0)
            continue;
        begin(w, tag);
        /* not expected, because the elements of arrays are reported */
        if (c && c->is_array && w->seen[tag].length)
            w->seen[tag].is_written = 1;
        finish(w);
    }
}

/* Counts all objects before the walk, because a text file has their number in front of them. */
static jint JNICALL count_one(jlong class_tag, jlong size, jlong *tag_ptr, jint length, void *arg)
{
    struct walk *w = arg;
    w->objects++;
    w->bytes += vm_heap_is_flat(tag_ptr) ? 0 : (uint64_t)size;
    return 0;
}

static void count_all(struct walk *w)
{
    jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = count_one};
    vm_heap_iterate(w->d->frozen.vm.jvmti, 0, &callbacks, w);
}

/* Removes the tag of an object, which would otherwise be there in the next dump. */
static jint JNICALL forget_one(jlong class_tag, jlong size, jlong *tag_ptr, jint length, void *arg)
{
    if (*tag_ptr != FROZEN_VM_SENTINEL)
        *tag_ptr = 0;
    return 0;
}

static void forget_tags(struct heapdump *d)
{
    jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = forget_one};
    vm_heap_iterate(d->frozen.vm.jvmti, JVMTI_HEAP_FILTER_UNTAGGED, &callbacks, NULL);
}

static int finish_file(struct walk *w)
{
    struct heapdump *d = w->d;
    if (!w->has_begun)
        write_roots(w);
    finish(w);
    write_rest(w);
    for (uint32_t i = 0; i < w->plan.count; i++)
        d->file.out.ops->klass(&d->file.out, &w->plan.classes[i].out);
    d->file.out.ops->end(&d->file.out);
    sink_flush(&d->file.sink);
    d->result->objects = w->objects;
    d->result->heap_bytes = w->bytes;
    d->result->broken = w->unknown;
    return d->file.out.error ? d->file.out.error : sink_error(&d->file.sink);
}

static int walk_heap(struct walk *w)
{
    jvmtiHeapCallbacks callbacks = {
        .heap_reference_callback = on_reference,
        .primitive_field_callback = on_primitive,
        .array_primitive_value_callback = on_array,
    };
    struct heapdump *d = w->d;
    jvmtiError error;
    look_at_room(w, FIRST);
    if (w->error)
        return w->error;
    d->file.sink.ask = ask_for_room;
    d->file.sink.asker = w;
    error = vm_heap_follow(d->frozen.vm.jvmti, 0, NULL, &callbacks, w);
    d->pause_ns = w->stopped_ns ? clock_monotonic_ns() - w->stopped_ns : 0;
    if (error != JVMTI_ERROR_NONE && !w->error)
        w->error = E_UNSUPPORTED;
    if (!w->error)
        w->error = finish_file(w);
    d->file.sink.ask = NULL;
    return w->error;
}

int heapdump_pause_write(struct heapdump *d, JNIEnv *env)
{
    struct walk w = {.d = d};
    uint64_t seen_bytes = objects_max * sizeof(*w.seen);
    int error;
    d->frozen.roots.count = 0;
    w.seen = pages_map(seen_bytes);
    w.values_max = (uint64_t)1 << 31;
    w.values = pages_map(w.values_max * 8);
    error = w.seen && w.values ? heapdump_plan_make(&w.plan, d, env) : -ENOMEM;
    w.kept_types = hprof_redact_kept_types(&w.plan.rule);
    w.first = d->frozen.threads.count + w.plan.count + 1;
    w.tags = w.first - 1;
    if (!error && d->recording->options.format == 'a')
        count_all(&w);
    if (!error)
        error = walk_heap(&w);
    forget_tags(d);
    heapdump_values_done(&w.numbers);
    pages_unmap(w.seen, seen_bytes);
    pages_unmap(w.values, w.values_max * 8);
    d->result->file_bytes = sink_position(&d->file.sink) - d->file.turn->position;
    d->result->cuts = d->file.out.cuts;
    return error;
}
