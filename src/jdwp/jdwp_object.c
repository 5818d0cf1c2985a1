/*
 * jdwp_object.c - what a debugger asks about objects: the sets ObjectReference, StringReference,
 * ArrayReference, ClassLoaderReference, ClassObjectReference and ModuleReference.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_answer.h"
#include <stdlib.h>
#include <string.h>
#include "base/be.h"
#include "jdwp/jdwp_field.h"
#include "snapshot/snapshot.h"

enum {
    PIECE = 1 << 16, /* bytes of an array that are read at once */
    PARENTS_MAX = 100,
    UTF8_CHAR = 3, /* bytes that a char of UTF-16 takes at most */
};

uint64_t jdwp_object_take(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                          const struct jdwp_class **ret_class)
{
    uint64_t object = rd_u8(in);
    *ret_class = jdwp_vm_class_of(vm, object);
    if (*ret_class)
        return object;
    jdwp_wire_fail(out, JDWP_INVALID_OBJECT);
    return 0;
}

/* ---- objects */

void jdwp_object_type(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c;
    if (jdwp_object_take(vm, in, out, &c) == 0)
        return;
    jdwp_wire_u1(out, c->type);
    jdwp_wire_u8(out, c->klass);
}

void jdwp_object_values(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c;
    uint64_t object = jdwp_object_take(vm, in, out, &c);
    if (object != 0)
        jdwp_value_put_fields(vm, in, out, c, object);
}

/* The locks are those that the threads hold and wait for (java_locks.h). */
void jdwp_object_monitor(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct java_locks *locks = &vm->snapshot->locks;
    const struct java_threads *threads = &vm->snapshot->java;
    const struct jdwp_class *c;
    uint64_t object = jdwp_object_take(vm, in, out, &c), owner = 0;
    uint32_t entries = 0, waiters = 0;
    if (object == 0)
        return;
    if (locks->out_of_memory || vm->snapshot->has_unread_locks)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    for (uint32_t i = 0; i < locks->count; i++) {
        const struct java_lock *l = &locks->rows[i];
        if (l->object != object || l->kind == JAVA_LOCK_PARKED)
            continue;
        if (l->kind == JAVA_LOCK_HELD) {
            owner = threads->rows[l->thread].object;
            entries++;
        }
        waiters += l->kind == JAVA_LOCK_ENTERING || l->kind == JAVA_LOCK_WAITING;
    }
    jdwp_wire_u8(out, owner);
    jdwp_wire_u4(out, entries);
    jdwp_wire_u4(out, waiters);
    for (uint32_t i = 0; i < locks->count; i++) {
        const struct java_lock *l = &locks->rows[i];
        if (l->object == object && (l->kind == JAVA_LOCK_ENTERING || l->kind == JAVA_LOCK_WAITING))
            jdwp_vm_put_tagged(vm, out, threads->rows[l->thread].object, JDWP_TAG_THREAD);
    }
}

void jdwp_object_is_collected(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c;
    if (jdwp_object_take(vm, in, out, &c) != 0)
        jdwp_wire_u1(out, 0);
}

void jdwp_object_reflected(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_vm_class_of_mirror(vm, rd_u8(in));
    if (!c) {
        jdwp_wire_fail(out, JDWP_INVALID_OBJECT);
        return;
    }
    jdwp_wire_u1(out, c->type);
    jdwp_wire_u8(out, c->klass);
}

/* ---- strings and arrays */

/* Read `bytes` bytes at `addr` into new memory; NULL and a failed reply if that cannot be. */
static unsigned char *read_all(struct jdwp_vm *vm, struct jdwp_wire_reply *out, uint64_t addr,
                               uint64_t bytes)
{
    unsigned char *all = bytes > JDWP_WIRE_REPLY_MAX ? NULL : malloc(bytes + 1);
    bool is_read = true;
    if (!all) {
        jdwp_wire_fail(out, JDWP_OUT_OF_MEMORY);
        return NULL;
    }
    for (uint64_t at = 0; is_read && at < bytes; at += PIECE) {
        uint64_t n = bytes - at < PIECE ? bytes - at : PIECE;
        is_read = jdwp_vm_read(vm, addr + at, all + at, n);
    }
    if (is_read)
        return all;
    jdwp_wire_fail(out, JDWP_INVALID_OBJECT);
    free(all);
    return NULL;
}

static uint8_t *put_char(uint8_t *to, uint32_t c)
{
    if (c < 0x80)
        return be_put1(to, (uint8_t)c);
    if (c < 0x800)
        return be_put2(to, (uint16_t)((0xc0 | c >> 6) << 8 | 0x80 | (c & 0x3f)));
    if (c < 0x10000) {
        to = be_put1(to, (uint8_t)(0xe0 | c >> 12));
        return be_put2(to, (uint16_t)((0x80 | (c >> 6 & 0x3f)) << 8 | 0x80 | (c & 0x3f)));
    }
    return be_put4(to, (0xf0 | c >> 18) << 24 | (0x80 | (c >> 12 & 0x3f)) << 16 |
                           (0x80 | (c >> 6 & 0x3f)) << 8 | 0x80 | (c & 0x3f));
}

/* Write chars as UTF-8. A surrogate without its other half stays one, as the JDK's server leaves
 * it. */
static void put_chars(struct jdwp_wire_reply *out, const unsigned char *bytes, uint32_t count,
                      unsigned width)
{
    size_t at = out->used;
    jdwp_wire_u4(out, 0);
    uint8_t *begin = jdwp_wire_room(out, (size_t)count * UTF8_CHAR), *to = begin;
    for (uint32_t i = 0; begin && i < count; i++) {
        uint16_t c[2] = {0};
        if (width == 1)
            c[0] = bytes[i];
        else
            memcpy(c, bytes + (size_t)i * 2, i + 1 < count ? 4 : 2);
        if (c[0] >= 0xd800 && c[0] < 0xdc00 && c[1] >= 0xdc00 && c[1] < 0xe000) {
            to = put_char(to, 0x10000 + ((c[0] - 0xd800u) << 10) + (c[1] - 0xdc00u));
            i++;
        } else {
            to = put_char(to, c[0]);
        }
    }
    if (!begin)
        return;
    out->used = (size_t)(to - out->bytes);
    jdwp_wire_patch(out, at, (uint32_t)(to - begin));
}

void jdwp_object_string(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    struct oops *o = &vm->snapshot->oops;
    const struct jdwp_class *c, *array;
    uint64_t string = jdwp_object_take(vm, in, out, &c), value;
    if (string == 0)
        return;
    if (c->tag != JDWP_TAG_STRING) {
        jdwp_wire_fail(out, JDWP_INVALID_STRING);
        return;
    }
    int32_t at = oops_field(o, c->klass, "value"), coder_at = oops_field(o, c->klass, "coder");
    uint8_t coder = 1;
    uint32_t length;
    if (at <= 0 || !oops_load(o, string + (uint64_t)at, &value) ||
        !(array = jdwp_vm_class_of(vm, value)) || array->type != JDWP_TYPE_ARRAY ||
        (coder_at > 0 && !jdwp_vm_read(vm, string + (uint64_t)coder_at, &coder, 1)) ||
        !jdwp_vm_u4(vm, value + (uint64_t)o->array_length, &length)) {
        jdwp_wire_fail(out, JDWP_INVALID_OBJECT);
        return;
    }
    /* A char[] (JDK 8); or a byte[] with one or two bytes for each char. */
    bool is_bytes = strcmp(array->signature, "[B") == 0;
    unsigned width = is_bytes && coder == 0 ? 1 : 2;
    uint32_t count = is_bytes ? length / width : length;
    unsigned char *bytes =
        read_all(vm, out, value + (uint64_t)o->array_data, (uint64_t)count * width);
    if (bytes)
        put_chars(out, bytes, count, width);
    free(bytes);
}

/* The array that comes next, and its length; 0 and a failed reply if there is none. */
static uint64_t take_array(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                           const struct jdwp_class **ret_class, uint32_t *ret_length)
{
    uint64_t array = jdwp_object_take(vm, in, out, ret_class);
    if (array == 0)
        return 0;
    if ((*ret_class)->type != JDWP_TYPE_ARRAY)
        jdwp_wire_fail(out, JDWP_INVALID_ARRAY);
    else if (!jdwp_vm_u4(vm, array + (uint64_t)vm->snapshot->oops.array_length, ret_length) ||
             *ret_length > INT32_MAX)
        jdwp_wire_fail(out, JDWP_INVALID_OBJECT);
    else
        return array;
    return 0;
}

void jdwp_object_array_length(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c;
    uint32_t length;
    if (take_array(vm, in, out, &c, &length) != 0)
        jdwp_wire_u4(out, length);
}

void jdwp_object_array_values(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct oops *o = &vm->snapshot->oops;
    const struct jdwp_class *c;
    uint32_t length;
    uint64_t array = take_array(vm, in, out, &c, &length);
    uint32_t first = rd_u4(in), count = rd_u4(in);
    if (array == 0)
        return;
    if (first > length)
        jdwp_wire_fail(out, JDWP_INVALID_INDEX);
    else if (count > length - first)
        jdwp_wire_fail(out, JDWP_INVALID_LENGTH);
    char type = c->signature[1];
    unsigned bytes = jdwp_value_bytes(type);
    jdwp_wire_u1(out, (uint8_t)type);
    jdwp_wire_u4(out, count);
    if (bytes > 0) {
        /* elements of eight bytes are aligned to eight bytes */
        uint64_t data = ((uint64_t)o->array_data + bytes - 1) & ~((uint64_t)bytes - 1);
        unsigned char *all = out->error != JDWP_OK
                                 ? NULL
                                 : read_all(vm, out, array + data + (uint64_t)first * bytes,
                                            (uint64_t)count * bytes);
        for (uint64_t i = 0; all && i < count && out->error == JDWP_OK; i++)
            jdwp_value_put_bytes(out, all + i * bytes, bytes);
        free(all);
        return;
    }
    if (jdwp_vm_is_flat_array(vm, array)) /* such elements have no address, so no id */
        jdwp_wire_fail(out, JDWP_NOT_IMPLEMENTED);
    unsigned step = o->refs.is_compressed ? 4 : 8;
    for (uint64_t i = 0; i < count && out->error == JDWP_OK; i++)
        jdwp_value_put(vm, out, array + (uint64_t)o->array_oops + (first + i) * step, type, true);
}

/* ---- loaders and modules */

/* The classes that a loader can name: those that it has loaded, then those of its parents, then
 * those of the boot loader. The VM's own list, of what was asked for so far, is a part of it. */
void jdwp_object_visible_classes(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    struct oops *o = &vm->snapshot->oops;
    uint64_t loader = rd_u8(in);
    const struct jdwp_class *c = jdwp_vm_class_of(vm, loader);
    size_t count_at = out->used;
    uint32_t count = 0;
    if (loader != 0 && (!c || c->tag != JDWP_TAG_LOADER))
        jdwp_wire_fail(out, c ? JDWP_INVALID_CLASS_LOADER : JDWP_INVALID_OBJECT);
    jdwp_wire_u4(out, 0);
    for (int depth = 0; depth < PARENTS_MAX && out->error == JDWP_OK; depth++) {
        for (uint32_t i = 0; i < vm->class_count; i++) {
            uint64_t of;
            if (vm->classes[i].listed != 0 || !jdwp_vm_loader(vm, &vm->classes[i], &of) ||
                of != loader)
                continue;
            jdwp_wire_u1(out, vm->classes[i].type);
            jdwp_wire_u8(out, vm->classes[i].klass);
            count++;
        }
        if (loader == 0)
            break;
        int32_t at = oops_field(o, oops_klass(o, loader), "parent");
        if (at <= 0 || !oops_load(o, loader + (uint64_t)at, &loader))
            jdwp_wire_fail(out, JDWP_INTERNAL);
    }
    jdwp_wire_patch(out, count_at, count);
}

/* Reads a field of a java.lang.Module. */
static bool take_module_field(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                              const char *name, uint64_t *ret_object)
{
    struct oops *o = &vm->snapshot->oops;
    const struct jdwp_class *c;
    uint64_t module = jdwp_object_take(vm, in, out, &c);
    if (module == 0)
        return false;
    int32_t at =
        strcmp(c->signature, "Ljava/lang/Module;") == 0 ? oops_field(o, c->klass, name) : -1;
    if (at > 0 && oops_load(o, module + (uint64_t)at, ret_object))
        return true;
    jdwp_wire_fail(out, at > 0 ? JDWP_INTERNAL : JDWP_INVALID_MODULE);
    return false;
}

void jdwp_object_module_name(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    char text[4096];
    uint64_t name;
    if (!take_module_field(vm, in, out, "name", &name))
        return;
    if (name != 0 && oops_text(&vm->snapshot->oops, name, text, sizeof(text)) < 0)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_text(out, name == 0 ? "" : text);
}

void jdwp_object_module_loader(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    uint64_t loader;
    if (take_module_field(vm, in, out, "loader", &loader))
        jdwp_wire_u8(out, loader);
}
