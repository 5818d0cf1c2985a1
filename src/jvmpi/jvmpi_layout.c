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

enum {
    BUCKETS = 4096,
    BYTES_MAX = 64 << 20, /* memory for the layouts of one dump */
    STATIC = 0x0008,      /* access flag of fields */
};

/* How wide the values of each type are in records. */
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

uint32_t jvmpi_layout_width(jint type)
{
    return widths[type];
}

void jvmpi_layout_open(struct jvmpi_layouts *all)
{
    memset(all, 0, sizeof(*all));
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

struct jvmpi_layout *jvmpi_layout_find(const struct jvmpi_layouts *all, jobjectID class_id)
{
    struct jvmpi_layout *l = all->buckets ? *bucket_of(all, class_id) : NULL;

    while (l && l->class_id != class_id)
        l = l->next;
    return l;
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
    *bytes += jvmpi_layout_width(f->type);
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

/* Those that the class names come first, whether or not a class above has them too. */
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
    }
}

struct jvmpi_layout *jvmpi_layout_of(struct jvmpi_layouts *all, JNIEnv *env, jclass klass)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jobjectID id = jvmpi_shape_of(env, klass).class_id;
    struct jvmpi_layout *l = id ? jvmpi_layout_find(all, id) : NULL;
    jobject loader = NULL;

    if (l || all->failed)
        return l;
    l = id ? arena_alloc(&all->arena, sizeof(*l)) : NULL;
    all->failed |= !l;
    if (!l)
        return NULL;
    l->class_id = id;
    if ((*jvmti)->GetClassLoader(jvmti, klass, &loader) == JVMTI_ERROR_NONE)
        l->loader_id = jvmpi_alloc_named(env, loader);
    (*env)->DeleteLocalRef(env, loader);
    add_super(all, l, env, klass);
    add_interfaces(all, l, env, klass);
    add_fields(all, l, klass);
    l->next = *bucket_of(all, id);
    *bucket_of(all, id) = l;
    return l;
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
        return NULL; /* an interface's, which is the interface's own to tell */
    while (l && number < l->super_fields) {
        at += l->instance_bytes;
        l = l->super;
    }
    if (!l || l->fields[number - l->super_fields].is_static != is_static)
        return NULL;
    *ret_at = at + l->fields[number - l->super_fields].at;
    return &l->fields[number - l->super_fields];
}
