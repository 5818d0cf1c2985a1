/*
 * jvmpi_shape.c - see jvmpi_shape.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_shape.h"
#include <jvmti.h>
#include <stdio.h>
#include <string.h>
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_ids.h"
#include "vm/vm_lookup.h"

enum {
    NOT_KNOWN = -1,
    NAME_MAX_LENGTH = 4096,
};

static const struct row {
    char letter;
    jint type;
    const char *name;
} rows[] = {
    {'Z', JVMPI_BOOLEAN, "boolean"}, {'C', JVMPI_CHAR, "char"}, {'F', JVMPI_FLOAT, "float"},
    {'D', JVMPI_DOUBLE, "double"},   {'B', JVMPI_BYTE, "byte"}, {'S', JVMPI_SHORT, "short"},
    {'I', JVMPI_INT, "int"},         {'J', JVMPI_LONG, "long"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

jint jvmpi_shape_type(char letter)
{
    for (int i = 0; i < ROWS; i++)
        if (rows[i].letter == letter)
            return rows[i].type;
    return JVMPI_CLASS;
}

/* The name of a primitive type; NULL: the letter stands for none. */
static const char *primitive_name(char letter)
{
    for (int i = 0; i < ROWS; i++)
        if (rows[i].letter == letter)
            return rows[i].name;
    return NULL;
}

jclass jvmpi_shape_element(JNIEnv *env, jclass array)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass klass = vm_lookup_class(&l, "java/lang/Class");
    jobject element = vm_lookup_call_object(
        &l, array, vm_lookup_method(&l, klass, "getComponentType", "()Ljava/lang/Class;"));
    jobject kept = NULL;
    return vm_lookup_end_with(&l, element, &kept) ? kept : NULL;
}

/* Whether the bridge's options leave out the objects of a class. The filter sees org.acme.Foo for
 * Lorg/acme/Foo; and int[][] for [[I. */
static bool is_filtered(const char *signature)
{
    const struct method_filter *f = &jvmpi_bridge.options.filter;
    size_t depth = strspn(signature, "["), len = strlen(signature + depth);
    const char *name = primitive_name(signature[depth]);
    char text[NAME_MAX_LENGTH];
    int used;
    if (!f->include && !f->exclude)
        return false;
    used = name ? snprintf(text, sizeof(text), "%s", name)
                : snprintf(text, sizeof(text), "%.*s", (int)len - 2, signature + depth + 1);
    for (; depth > 0 && used > 0 && (size_t)used < sizeof(text) - 2; depth--)
        used += snprintf(text + used, sizeof(text) - (size_t)used, "[]");
    return !method_filter_wants_class(f, text, strlen(text));
}

static void learn(JNIEnv *env, jclass klass, struct jvmpi_ids_class *c)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    char *signature = NULL;
    jint type = JVMPI_NORMAL_OBJECT;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    if (signature[0] == '[')
        type = jvmpi_shape_type(signature[1]);
    c->is_filtered = is_filtered(signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    if (type == JVMPI_CLASS) {
        jclass element;
        jvmpi_self_hush();
        element = jvmpi_shape_element(env, klass);
        jvmpi_self_speak();
        if (!element)
            return;
        c->element_id = jvmpi_class_named(env, element);
        jvmpi_self_hush();
        (*env)->DeleteGlobalRef(env, element);
        jvmpi_self_speak();
    }
    atomic_store(&c->instance_type, (int8_t)type);
}

struct jvmpi_shape jvmpi_shape_known(jobjectID class_id)
{
    const struct jvmpi_ids_record *r = jvmpi_ids_find(class_id);
    const struct jvmpi_ids_class *c = r ? r->klass : NULL;
    struct jvmpi_shape s = {.class_id = class_id, .type = NOT_KNOWN, .named_id = class_id};
    if (c) {
        s.type = atomic_load(&c->instance_type);
        if (s.type == JVMPI_CLASS)
            s.named_id = c->element_id;
        s.is_filtered = c->is_filtered;
    }
    return s;
}

struct jvmpi_shape jvmpi_shape_of(JNIEnv *env, jclass klass)
{
    jobjectID id = jvmpi_class_named(env, klass);
    struct jvmpi_shape s = jvmpi_shape_known(id);
    const struct jvmpi_ids_record *r = jvmpi_ids_find(id);
    if (s.type == NOT_KNOWN && r && r->klass) {
        learn(env, klass, r->klass);
        s = jvmpi_shape_known(id);
    }
    if (s.type == NOT_KNOWN)
        s.type = JVMPI_NORMAL_OBJECT;
    return s;
}
