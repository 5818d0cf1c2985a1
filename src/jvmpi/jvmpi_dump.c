/*
 * jvmpi_dump.c - see jvmpi_dump.h.
 *
 * The callbacks run in a pause of the VM, so they call no function of the VM. Source: JVM TI,
 * FollowReferences.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_dump.h"
#include <jvmti.h>
#include <stdbool.h>
#include <string.h>
#include "base/be.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_gc.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_shape.h"
#include "vm/vm_heap.h"

/* An entry of a constant pool that is an object. */
struct constant {
    struct constant *next;
    jobjectID id;
    uint16_t index;
};

/* The data that the walk has found of a class. */
struct jvmpi_dump_class {
    jobjectID signers, domain;
    uint8_t *statics;
    struct constant *constants;
};

/* ---- in the walk: values */

static void put_reference(uint8_t *to, jobjectID id)
{
    memcpy(to, &id, sizeof(jobjectID));
}

static void put_primitive(uint8_t *to, jint type, const void *from)
{
    uint64_t v8;
    uint32_t v4;
    uint16_t v2;
    switch (type) {
    case JVMPI_LONG:
    case JVMPI_DOUBLE:
        memcpy(&v8, from, sizeof(v8));
        be_put8(to, v8);
        break;
    case JVMPI_INT:
    case JVMPI_FLOAT:
        memcpy(&v4, from, sizeof(v4));
        be_put4(to, v4);
        break;
    case JVMPI_CHAR:
    case JVMPI_SHORT:
        memcpy(&v2, from, sizeof(v2));
        be_put2(to, v2);
        break;
    default:
        memcpy(to, from, 1);
    }
}

/* The place for the value of a field of the current object; NULL: the dump does not have the
 * value. */
static uint8_t *place_of_field(struct jvmpi_dump *d, jlong tag, jint index, jint *ret_type)
{
    const struct jvmpi_layout_field *f;
    uint32_t at;
    if (!d->current || d->current != jvmpi_ids_from_tag(tag) || !d->its)
        return NULL;
    f = jvmpi_layout_field(d->its, index, false, &at);
    if (!f || jvmpi_layout_width(&d->layouts, f->type) == 0)
        return NULL;
    *ret_type = f->type;
    return jvmpi_bytes_at(&d->bytes, d->values + at, jvmpi_layout_width(&d->layouts, f->type));
}

/* The data of a class; NULL: the class has no record, or there is no memory. */
static struct jvmpi_dump_class *part_of(struct jvmpi_dump *d, jlong tag,
                                        const struct jvmpi_layout **ret_layout)
{
    struct jvmpi_layout *l = jvmpi_layout_find(&d->layouts, jvmpi_ids_from_tag(tag));
    struct arena *arena = &d->layouts.arena;
    if (!l)
        jvmpi_layout_note(&d->layouts, jvmpi_ids_from_tag(tag), false);
    if (l && l->is_own)
        return NULL;
    if (l && !l->part) {
        l->part = arena_alloc(arena, sizeof(*l->part));
        if (l->part)
            l->part->statics = arena_alloc(arena, l->static_bytes);
        d->layouts.failed |= !l->part || (l->static_bytes > 0 && !l->part->statics);
    }
    *ret_layout = l;
    return l && !d->layouts.failed ? l->part : NULL;
}

static uint8_t *place_of_static(struct jvmpi_dump *d, jlong tag, jint index, jint *ret_type)
{
    const struct jvmpi_layout_field *f;
    const struct jvmpi_layout *l;
    struct jvmpi_dump_class *c = part_of(d, tag, &l);
    uint32_t at;
    f = c ? jvmpi_layout_field(l, index, true, &at) : NULL;
    if (!f || jvmpi_layout_width(&d->layouts, f->type) == 0)
        return NULL;
    *ret_type = f->type;
    return c->statics + at;
}

static void add_constant(struct jvmpi_dump *d, jlong tag, jint index, jobjectID id)
{
    const struct jvmpi_layout *l;
    struct jvmpi_dump_class *c = part_of(d, tag, &l);
    struct constant *made = c ? arena_alloc(&d->layouts.arena, sizeof(*made)) : NULL;
    d->layouts.failed |= c && !made;
    if (!made)
        return;
    *made = (struct constant){.next = c->constants, .id = id, .index = (uint16_t)index};
    c->constants = made;
}

/* ---- in the walk: an object's record begins */

/* The class of an array's elements. NULL if that class is not prepared and so has had no
 * CLASS_LOAD. OBJECT_DUMP has the layout of one class only, and has looked at the elements' class
 * before. */
static jobjectID element_of(const struct jvmpi_dump *d, jobjectID id)
{
    return !d->root || jvmpi_layout_find(&d->layouts, id) ? id : NULL;
}

static void begin_array(struct jvmpi_dump *d, struct jvmpi_shape s, uint32_t length)
{
    bool has_objects = s.type == JVMPI_CLASS;
    jvmpi_bytes_u1(&d->bytes, has_objects ? JVMPI_GC_OBJ_ARRAY_DUMP : JVMPI_GC_PRIM_ARRAY_DUMP);
    jvmpi_bytes_pointer(&d->bytes, d->current);
    jvmpi_bytes_u4(&d->bytes, length);
    if (has_objects)
        jvmpi_bytes_pointer(&d->bytes, element_of(d, s.named_id));
    else
        jvmpi_bytes_u1(&d->bytes, (uint8_t)s.type);
    d->values =
        jvmpi_bytes_zeros(&d->bytes, (size_t)length * jvmpi_layout_width(&d->layouts, s.type));
}

static void begin_instance(struct jvmpi_dump *d, jobjectID class_id)
{
    uint32_t bytes = 0;
    for (const struct jvmpi_layout *l = d->its; l; l = l->super)
        bytes += l->instance_bytes;
    jvmpi_bytes_u1(&d->bytes, JVMPI_GC_INSTANCE_DUMP);
    jvmpi_bytes_pointer(&d->bytes, d->current);
    jvmpi_bytes_pointer(&d->bytes, class_id);
    jvmpi_bytes_u4(&d->bytes, bytes);
    d->values = jvmpi_bytes_zeros(&d->bytes, bytes);
}

/* Begin the record of an object. The VM reports the class of an object before anything else of
 * it. */
static void begin(struct jvmpi_dump *d, jobjectID id, jobjectID class_id)
{
    struct jvmpi_shape s = jvmpi_shape_known(class_id);
    const struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    d->current = NULL;
    if (!r || class_id == d->found.class_class)
        return;
    d->its = jvmpi_layout_find(&d->layouts, class_id);
    if (!d->its) {
        jvmpi_layout_note(&d->layouts, class_id, true);
        d->is_stale = true;
        return;
    }
    d->type = s.type > 0 ? s.type : JVMPI_NORMAL_OBJECT;
    if (d->level == JVMPI_DUMP_LEVEL_0) {
        jvmpi_bytes_u1(&d->bytes, (uint8_t)d->type);
        jvmpi_bytes_pointer(&d->bytes, id);
        return;
    }
    d->current = id;
    if (d->type == JVMPI_NORMAL_OBJECT)
        begin_instance(d, class_id);
    else
        begin_array(d, s, r->length);
}

/* ---- callbacks */

static void on_class_part(struct jvmpi_dump *d, jvmtiHeapReferenceKind kind,
                          const jvmtiHeapReferenceInfo *info, jlong tag, jobjectID id)
{
    const struct jvmpi_layout *l;
    struct jvmpi_dump_class *c;
    uint8_t *to = NULL;
    jint type;
    if (d->level == JVMPI_DUMP_LEVEL_0)
        return;
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_STATIC_FIELD:
        to = place_of_static(d, tag, info->field.index, &type);
        if (to)
            put_reference(to, id);
        break;
    case JVMTI_HEAP_REFERENCE_CONSTANT_POOL:
        add_constant(d, tag, info->constant_pool.index, id);
        break;
    case JVMTI_HEAP_REFERENCE_SIGNERS:
    case JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN:
        c = part_of(d, tag, &l);
        if (c && kind == JVMTI_HEAP_REFERENCE_SIGNERS)
            c->signers = id;
        else if (c)
            c->domain = id;
        break;
    default: /* loader, interfaces and the class above: the layout has them */
        break;
    }
}

static void on_object_part(struct jvmpi_dump *d, jvmtiHeapReferenceKind kind,
                           const jvmtiHeapReferenceInfo *info, jlong tag, jobjectID id)
{
    uint8_t *to = NULL;
    jint type;
    if (kind == JVMTI_HEAP_REFERENCE_FIELD)
        to = place_of_field(d, tag, info->field.index, &type);
    else if (d->current && d->current == jvmpi_ids_from_tag(tag) && d->type == JVMPI_CLASS)
        to = jvmpi_bytes_at(&d->bytes, d->values + (size_t)info->array.index * sizeof(jobjectID),
                            sizeof(jobjectID));
    if (to)
        put_reference(to, id);
}

bool jvmpi_dump_want_class(struct jvmpi_dump *d, jobjectID id)
{
    const struct jvmpi_layout *l;
    return part_of(d, (jlong)(uintptr_t)id, &l);
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                                 jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag,
                                 jlong *referrer_tag, jint length, void *arg)
{
    struct jvmpi_dump *d = arg;
    uint64_t place;
    /* a value object has no id; the objects to which it refers have records */
    if (vm_heap_is_value(tag, &place))
        return d->root ? JVMTI_VISIT_OBJECTS : 0;
    jobjectID id = jvmpi_alloc_found_note(&d->found, tag, class_tag, size);
    bool is_class = jvmpi_ids_from_tag(class_tag) == d->found.class_class;
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);

    if (!r || d->found.failed || d->bytes.failed || d->layouts.failed)
        return JVMTI_VISIT_ABORT;
    if (length >= 0)
        r->length = (uint32_t)length;
    if (d->root && is_class)
        jvmpi_dump_want_class(d, id);
    if (!referrer_tag) {
        if (d->root)
            d->root(d, kind, info, id, is_class);
    } else if (kind == JVMTI_HEAP_REFERENCE_CLASS) {
        begin(d, jvmpi_ids_from_tag(*referrer_tag), id);
    } else if (kind == JVMTI_HEAP_REFERENCE_FIELD || kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT) {
        on_object_part(d, kind, info, *referrer_tag, id);
    } else {
        on_class_part(d, kind, info, *referrer_tag, id);
    }
    return d->root ? JVMTI_VISIT_OBJECTS : 0;
}

static jint JNICALL on_primitive(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                                 jlong class_tag, jlong *tag, jvalue value, jvmtiPrimitiveType type,
                                 void *arg)
{
    struct jvmpi_dump *d = arg;
    jint its_type = JVMPI_CLASS;
    uint8_t *to = kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD
                      ? place_of_static(d, *tag, info->field.index, &its_type)
                      : place_of_field(d, *tag, info->field.index, &its_type);
    if (to && its_type != JVMPI_CLASS)
        put_primitive(to, its_type, &value);
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL on_elements(jlong class_tag, jlong size, jlong *tag, jint count,
                                jvmtiPrimitiveType letter, const void *elements, void *arg)
{
    struct jvmpi_dump *d = arg;
    jint type = jvmpi_shape_type((char)letter);
    size_t width = jvmpi_layout_width(&d->layouts, type);
    uint8_t *to;
    if (!d->current || d->current != jvmpi_ids_from_tag(*tag) || d->type != type || width == 0)
        return JVMTI_VISIT_OBJECTS;
    to = jvmpi_bytes_at(&d->bytes, d->values, (size_t)count * width);
    for (jint i = 0; to && i < count; i++)
        put_primitive(to + (size_t)i * width, type, (const char *)elements + (size_t)i * width);
    return JVMTI_VISIT_OBJECTS;
}

/* ---- after the walk */

struct putting {
    struct jvmpi_dump *dump;
    JNIEnv *env;
};

/* Whether an id is that of a class of ours, which woven code names. */
static bool is_own(const struct putting *now, jobjectID id)
{
    const struct jvmpi_layout *l = jvmpi_layout_find(&now->dump->layouts, id);
    jobject klass = NULL;
    bool answer;
    if (l || jvmpi_ids_find(id)->kind != JVMPI_IDS_CLASS)
        return l && l->is_own;
    klass = jvmpi_ids_object(now->env, id);
    answer = klass && jvmpi_class_is_own(klass);
    (*now->env)->DeleteLocalRef(now->env, klass);
    return answer;
}

/* Write the constants of the class file, without those that weaving has added. */
static void put_constants(const struct putting *now, const struct jvmpi_dump_class *part)
{
    struct jvmpi_bytes *b = &now->dump->bytes;
    size_t count_at = jvmpi_bytes_zeros(b, sizeof(uint16_t));
    uint16_t count = 0;
    uint8_t *to;
    for (const struct constant *c = part->constants; c; c = c->next) {
        if (is_own(now, c->id))
            continue;
        jvmpi_bytes_u2(b, c->index);
        jvmpi_bytes_u1(b, JVMPI_CLASS);
        jvmpi_bytes_pointer(b, c->id);
        count++;
    }
    to = jvmpi_bytes_at(b, count_at, sizeof(uint16_t));
    if (to)
        be_put2(to, count);
}

static void put_class(struct jvmpi_layout *l, void *arg)
{
    const struct putting *now = arg;
    struct jvmpi_dump *d = now->dump;
    struct jvmpi_bytes *b = &d->bytes;
    if (!l->part)
        return;
    if (d->level == JVMPI_DUMP_LEVEL_0) {
        jvmpi_bytes_u1(b, JVMPI_NORMAL_OBJECT);
        jvmpi_bytes_pointer(b, l->class_id);
        return;
    }
    jvmpi_bytes_u1(b, JVMPI_GC_CLASS_DUMP);
    jvmpi_bytes_pointer(b, l->class_id);
    jvmpi_bytes_pointer(b, l->super ? l->super->class_id : NULL);
    jvmpi_bytes_pointer(b, l->loader_id);
    jvmpi_bytes_pointer(b, l->part->signers);
    jvmpi_bytes_pointer(b, l->part->domain);
    /* the name and a reserved field, which the specification lets be NULL */
    jvmpi_bytes_pointer(b, NULL);
    jvmpi_bytes_pointer(b, NULL);
    jvmpi_bytes_u4(b, l->object_bytes);
    for (uint32_t i = 0; i < l->direct_count; i++)
        jvmpi_bytes_pointer(b, l->interfaces[i]->class_id);
    put_constants(now, l->part);
    jvmpi_bytes_all(b, l->part->statics, l->static_bytes);
}

void jvmpi_dump_open(struct jvmpi_dump *d, JNIEnv *env, jint level)
{
    memset(d, 0, sizeof(*d));
    d->level = level;
    jvmpi_layout_open(&d->layouts, level);
    jvmpi_alloc_found_begin(&d->found, env);
}

void jvmpi_dump_close(struct jvmpi_dump *d)
{
    jvmpi_layout_close(&d->layouts);
    jvmpi_bytes_free(&d->bytes);
}

bool jvmpi_dump_walk(struct jvmpi_dump *d, JNIEnv *env, jobject from)
{
    static const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference,
                                                 .primitive_field_callback = on_primitive,
                                                 .array_primitive_value_callback = on_elements};
    static const jvmtiHeapCallbacks only_references = {.heap_reference_callback = on_reference};
    jvmtiError error;
    jvmpi_alloc_walk_begins();
    error = vm_heap_follow(jvmpi_ids_env(), 0, from,
                           d->layouts.has_primitives ? &callbacks : &only_references, d);
    jvmpi_alloc_found_tell(&d->found, env);
    jvmpi_layout_visit(&d->layouts, put_class, &(struct putting){d, env});
    return error == JVMTI_ERROR_NONE && !d->found.failed && !d->bytes.failed && !d->layouts.failed;
}

static void forget_part(struct jvmpi_layout *l, void *arg)
{
    l->part = NULL;
}

bool jvmpi_dump_begin_again(struct jvmpi_dump *d, JNIEnv *env)
{
    if (!jvmpi_layout_learn_noted(&d->layouts, env))
        return false;
    jvmpi_layout_visit(&d->layouts, forget_part, NULL);
    d->bytes.len = 0;
    d->is_stale = false;
    return true;
}

/* ---- OBJECT_DUMP */

/* Learn what the walk must know: the layout of the object's class; if the object is a class, its
 * own layout; if the object is an array, its length. */
static void learn_of(struct jvmpi_dump *d, JNIEnv *env, jobject object, jobjectID id)
{
    struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    jclass klass = (*env)->GetObjectClass(env, object);
    const struct jvmpi_layout *l = jvmpi_layout_of(&d->layouts, env, klass);
    if (r->kind == JVMPI_IDS_CLASS)
        jvmpi_layout_of(&d->layouts, env, object);
    else if (l && jvmpi_shape_known(l->class_id).type > JVMPI_NORMAL_OBJECT)
        r->length = (uint32_t)(*env)->GetArrayLength(env, object);
    (*env)->DeleteLocalRef(env, klass);
}

static bool make_object(struct jvmpi_dump *d, JNIEnv *env, jobject object, jobjectID id)
{
    bool is_class = jvmpi_ids_find(id)->kind == JVMPI_IDS_CLASS;
    if (is_class && (!jvmpi_class_is_prepared(object) || !jvmpi_class_is_loaded(env, object)))
        return false;
    learn_of(d, env, object, id);
    if (is_class)
        jvmpi_dump_want_class(d, id);
    return jvmpi_dump_walk(d, env, object) && d->bytes.len > 0;
}

static jlong size_of(jobject object)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jlong bytes = 0;
    (*jvmti)->GetObjectSize(jvmti, object, &bytes);
    return bytes;
}

jint jvmpi_dump_object_request(JNIEnv *env, int agent, jobjectID id)
{
    JVMPI_Event e = {.event_type = JVMPI_EVENT_OBJECT_DUMP | JVMPI_REQUESTED_EVENT, .env_id = env};
    struct jvmpi_dump d;
    jobject object;
    bool is_good, is_large;
    jvmpi_gc_disable(); /* the ids in the record stay valid until the agent has read it */
    object = jvmpi_ids_object(env, id);
    jvmpi_dump_open(&d, env, JVMPI_DUMP_LEVEL_2);
    is_large = object && size_of(object) > INT32_MAX;
    is_good = object && !is_large && make_object(&d, env, object, id);
    if (is_large || (is_good && d.bytes.len > INT32_MAX)) {
        jvmpi_bridge_say(
            "an object of more than 2 GB has no OBJECT_DUMP: the event cannot say so much");
        is_good = false;
    }
    if (is_good) {
        e.u.object_dump.data_len = (jint)d.bytes.len;
        e.u.object_dump.data = d.bytes.begin;
        jvmpi_send_to(1u << agent, &e);
    }
    jvmpi_dump_close(&d);
    (*env)->DeleteLocalRef(env, object);
    jvmpi_gc_enable();
    return is_good ? JVMPI_SUCCESS : JVMPI_FAIL;
}
