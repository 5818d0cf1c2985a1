/*
 * jvmpi_layout.c - see jvmpi_layout.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_layout.h"
#include <jvmti.h>
#include <string.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_shape.h"
#include "vm/vm_lookup.h"

enum {
    BUCKETS = 4096,
    BYTES_MAX = 1 << 30, /* memory for the layouts of all classes */
    STATIC = 0x0008,     /* access flag of fields */
};

/* The width of a value of each type in records. */
static const uint8_t widths[] = {
    [JVMPI_CLASS] = sizeof(jobjectID),
    [JVMPI_BOOLEAN] = 1,
    [JVMPI_CHAR] = 2,
    [JVMPI_FLOAT] = 4,
    [JVMPI_DOUBLE] = 8,
    [JVMPI_BYTE] = 1,
    [JVMPI_SHORT] = 2,
    [JVMPI_INT] = 4,
    [JVMPI_LONG] = 8,
};

uint32_t jvmpi_layout_width(const struct jvmpi_layouts *all, jint type)
{
    return type == JVMPI_CLASS || all->has_primitives ? widths[type] : 0;
}

void jvmpi_layout_open(struct jvmpi_layouts *all, jint level)
{
    memset(all, 0, sizeof(*all));
    all->has_primitives = level == JVMPI_DUMP_LEVEL_2;
    arena_init(&all->arena, BYTES_MAX);
    all->buckets = arena_alloc(&all->arena, BUCKETS * sizeof(struct jvmpi_layout *));
    all->failed = !all->buckets;
}

void jvmpi_layout_close(struct jvmpi_layouts *all)
{
    arena_done(&all->arena);
}

/* ---- one class */

static struct jvmpi_layout **bucket_of(const struct jvmpi_layouts *all, jobjectID class_id)
{
    return &all->buckets[(uintptr_t)class_id / JVMPI_IDS_STEP % BUCKETS];
}

/* The layout of a class, or a note without a layout; NULL: there is neither. */
static struct jvmpi_layout *look_up(const struct jvmpi_layouts *all, jobjectID class_id)
{
    struct jvmpi_layout *l = all->buckets ? *bucket_of(all, class_id) : NULL;
    while (l && l->class_id != class_id)
        l = l->next;
    return l;
}

struct jvmpi_layout *jvmpi_layout_find(const struct jvmpi_layouts *all, jobjectID class_id)
{
    struct jvmpi_layout *l = look_up(all, class_id);
    return l && !l->is_only_noted ? l : NULL;
}

void jvmpi_layout_note(struct jvmpi_layouts *all, jobjectID class_id, bool has_objects)
{
    struct jvmpi_layout *l = look_up(all, class_id);
    if (l)
        l->has_objects |= has_objects;
    if (all->failed || l)
        return;
    l = arena_alloc(&all->arena, sizeof(*l));
    all->failed |= !l;
    if (!l)
        return;
    l->class_id = class_id;
    l->is_only_noted = true;
    l->has_objects = has_objects;
    l->next = *bucket_of(all, class_id);
    *bucket_of(all, class_id) = l;
}

static void add_field(struct jvmpi_layouts *all, struct jvmpi_layout *l, jclass klass,
                      jfieldID field)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    struct jvmpi_layout_field *f = &l->fields[l->field_count++];
    char *signature = NULL;
    uint32_t *bytes;
    jint flags = 0;
    (*jvmti)->GetFieldName(jvmti, klass, field, NULL, &signature, NULL);
    (*jvmti)->GetFieldModifiers(jvmti, klass, field, &flags);
    f->type = (uint8_t)jvmpi_shape_type(signature ? *signature : 'L');
    f->is_static = flags & STATIC;
    bytes = f->is_static ? &l->static_bytes : &l->instance_bytes;
    f->at = *bytes;
    *bytes += jvmpi_layout_width(all, f->type);
    if (!f->is_static)
        l->object_bytes += widths[f->type];
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static void add_fields(struct jvmpi_layouts *all, struct jvmpi_layout *l, jclass klass)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jfieldID *fields = NULL;
    jint count = 0;
    if ((*jvmti)->GetClassFields(jvmti, klass, &count, &fields) != JVMTI_ERROR_NONE)
        return;
    l->fields = arena_alloc(&all->arena, (size_t)count * sizeof(*l->fields));
    for (jint i = 0; l->fields && i < count; i++)
        add_field(all, l, klass, fields[i]);
    all->failed |= count > 0 && !l->fields;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
}

static void add_interface(struct jvmpi_layout *l, const struct jvmpi_layout *interface)
{
    for (uint32_t i = 0; i < l->interface_count; i++)
        if (l->interfaces[i] == interface)
            return;
    l->interfaces[l->interface_count++] = interface;
    l->interface_fields += interface->field_count;
}

static void add_interfaces_of(struct jvmpi_layout *l, const struct jvmpi_layout *other)
{
    for (uint32_t i = 0; other && i < other->interface_count; i++)
        add_interface(l, other->interfaces[i]);
}

/* Add the interfaces. Those that the class names come first, also if a class above has them. */
static void add_interfaces(struct jvmpi_layouts *all, struct jvmpi_layout *l, JNIEnv *env,
                           jclass klass)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    uint32_t room = l->super ? l->super->interface_count : 0;
    const struct jvmpi_layout **direct;
    jclass *interfaces = NULL;
    jint count = 0;
    (*jvmti)->GetImplementedInterfaces(jvmti, klass, &count, &interfaces);
    direct = arena_alloc(&all->arena, (size_t)(count + 1) * sizeof(struct jvmpi_layout *));
    for (jint i = 0; direct && i < count; i++) {
        direct[i] = jvmpi_layout_of(all, env, interfaces[i]);
        room += direct[i] ? direct[i]->interface_count + 1 : 0;
        (*env)->DeleteLocalRef(env, interfaces[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)interfaces);
    l->interfaces = arena_alloc(&all->arena, (room + 1) * sizeof(struct jvmpi_layout *));
    all->failed |= !direct || !l->interfaces;
    if (all->failed)
        return;
    for (jint i = 0; i < count; i++)
        add_interface(l, direct[i]);
    l->direct_count = l->interface_count;
    for (jint i = 0; i < count; i++)
        add_interfaces_of(l, direct[i]);
    add_interfaces_of(l, l->super);
}

static void add_super(struct jvmpi_layouts *all, struct jvmpi_layout *l, JNIEnv *env, jclass klass)
{
    jclass super = (*env)->GetSuperclass(env, klass);
    if (!super)
        return;
    l->super = jvmpi_layout_of(all, env, super);
    (*env)->DeleteLocalRef(env, super);
    if (l->super) {
        l->super_fields = l->super->super_fields + l->super->field_count;
        l->object_bytes = l->super->object_bytes;
    }
}

/* The element class behind all dimensions of an array; the class itself if it is not an array. A
 * new local reference; NULL: the VM did not say. */
static jclass innermost(JNIEnv *env, jclass klass)
{
    jclass at = (*env)->NewLocalRef(env, klass);
    while (at && jvmpi_class_status(at) & JVMTI_CLASS_STATUS_ARRAY) {
        jclass kept = jvmpi_shape_element(env, at), element = (*env)->NewLocalRef(env, kept);
        (*env)->DeleteGlobalRef(env, kept);
        (*env)->DeleteLocalRef(env, at);
        at = element;
    }
    return at;
}

/* Add the class loader. GetClassLoader would end the VM for a primitive type, and for an archived
 * class that has a mirror but is not loaded yet. Source: HotSpot jvmtiEnv.cpp. */
static void add_loader(struct jvmpi_layout *l, JNIEnv *env, jclass klass)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jobject loader = NULL;
    jclass asked;
    jvmpi_self_hush();
    asked = innermost(env, klass);
    if (asked && jvmpi_class_status(asked) & JVMTI_CLASS_STATUS_PREPARED)
        (*jvmti)->GetClassLoader(jvmti, asked, &loader);
    (*env)->DeleteLocalRef(env, asked);
    jvmpi_self_speak();
    l->loader_id = jvmpi_alloc_named(env, loader);
    (*env)->DeleteLocalRef(env, loader);
}

struct jvmpi_layout *jvmpi_layout_of(struct jvmpi_layouts *all, JNIEnv *env, jclass klass)
{
    jobjectID id = jvmpi_shape_of(env, klass).class_id;
    struct jvmpi_layout *l = id ? jvmpi_layout_find(all, id) : NULL;
    if (l)
        return l;
    all->failed |= !id;
    if (id)
        jvmpi_layout_note(all, id, false);
    if (all->failed)
        return NULL;
    l = look_up(all, id);
    l->is_own = jvmpi_class_is_own(klass);
    add_loader(l, env, klass);
    add_super(all, l, env, klass);
    add_interfaces(all, l, env, klass);
    add_fields(all, l, klass);
    l->is_only_noted = false;
    return l;
}

/* ---- all classes */

static void learn_one(JNIEnv *env, jclass klass, void *all)
{
    jvmpi_layout_of(all, env, klass);
}

void jvmpi_layout_learn(struct jvmpi_layouts *all, JNIEnv *env)
{
    jvmpi_class_visit(env, JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ARRAY, learn_one, all);
    jvmpi_class_visit_primitives(env, learn_one, all);
}

struct learning {
    struct jvmpi_layouts *all;
    JNIEnv *env;
};

/* Make the layout of a noted class that has objects. The VM itself has made such a class, so any
 * question about it is safe. */
static void learn_noted(struct jvmpi_layout *l, void *arg)
{
    struct learning *now = arg;
    jobject klass = NULL;
    if (l->is_only_noted && l->has_objects)
        klass = jvmpi_ids_object(now->env, l->class_id);
    if (klass && jvmpi_class_prepare(now->env, klass))
        jvmpi_layout_of(now->all, now->env, klass);
    (*now->env)->DeleteLocalRef(now->env, klass);
}

static void count_noted(struct jvmpi_layout *l, void *count)
{
    *(size_t *)count += l->is_only_noted;
}

/* Make the layouts of noted classes. A walk may also have found mirrors of archived classes that
 * are not loaded yet. So of the classes without objects only those are asked for that the VM
 * lists. */
bool jvmpi_layout_learn_noted(struct jvmpi_layouts *all, JNIEnv *env)
{
    size_t before = 0, after = 0;
    jvmpi_layout_visit(all, count_noted, &before);
    if (before == 0)
        return false;
    jvmpi_layout_visit(all, learn_noted, &(struct learning){all, env});
    jvmpi_layout_learn(all, env);
    jvmpi_layout_visit(all, count_noted, &after);
    return after < before;
}

void jvmpi_layout_visit(struct jvmpi_layouts *all, void (*each)(struct jvmpi_layout *l, void *arg),
                        void *arg)
{
    for (size_t i = 0; all->buckets && i < BUCKETS; i++)
        for (struct jvmpi_layout *l = all->buckets[i]; l; l = l->next)
            each(l, arg);
}

/* ---- fields by their numbers */

const struct jvmpi_layout_field *jvmpi_layout_field(const struct jvmpi_layout *l, jint index,
                                                    bool is_static, uint32_t *ret_at)
{
    uint32_t number = (uint32_t)index - l->interface_fields, at = 0;
    if (number >= l->super_fields + l->field_count)
        return NULL; /* a field of an interface: the interface itself has it */
    while (l && number < l->super_fields) {
        at += l->instance_bytes;
        l = l->super;
    }
    if (!l || l->fields[number - l->super_fields].is_static != is_static)
        return NULL;
    *ret_at = at + l->fields[number - l->super_fields].at;
    return &l->fields[number - l->super_fields];
}
