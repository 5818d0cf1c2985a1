/*
 * jdwp_type.c - what a debugger asks about types: the sets ReferenceType and ClassType.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_answer.h"
#include <stdlib.h>
#include <string.h>
#include "jdwp/jdwp_field.h"
#include "safe/hs_method.h"
#include "snapshot/snapshot.h"

enum {
    ACC_SUPER = 0x0020,
    ACC_SYNTHETIC = 0x1000,
    ACC_METHOD = 0x1fff, /* the flags of a method that a class file can have */
    EXTENSION_BYTES = 1 << 20,
};
/* A bit of JDWP for what the compiler has made. */
static const uint32_t synthetic = 0xf0000000;

enum { STATUS_VERIFIED = 1, STATUS_PREPARED = 2, STATUS_INITIALIZED = 4, STATUS_ERROR = 8 };

const struct jdwp_class *jdwp_type_take(struct jdwp_vm *vm, struct rd *in,
                                        struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_vm_class(vm, rd_u8(in));
    if (!c)
        jdwp_wire_fail(out, JDWP_INVALID_CLASS);
    return c;
}

static uint64_t field_at(const struct jdwp_class *c, int32_t offset)
{
    return c->klass + (uint64_t)offset;
}

/* The Symbol at an index of a class's constant pool that lies at `addr`. Returns whether it can be
 * read; 0: there is none. */
static bool read_symbol(struct jdwp_vm *vm, const struct jdwp_class *c, int32_t in_class,
                        int32_t in_pool, uint64_t *ret_symbol)
{
    const struct hs_layout *l = vm->snapshot->target.layout;
    uint64_t pool;
    uint16_t index;
    *ret_symbol = 0;
    if ((in_class < 0 && in_pool < 0) || !jdwp_vm_u8(vm, field_at(c, l->klass_constants), &pool) ||
        !jdwp_vm_u2(vm, in_pool >= 0 ? pool + (uint64_t)in_pool : field_at(c, in_class), &index))
        return false;
    return index == 0 ||
           jdwp_vm_u8(vm, pool + (uint64_t)l->pool_size + (uint64_t)index * 8, ret_symbol);
}

void jdwp_type_put_generic(struct jdwp_vm *vm, const struct jdwp_class *c,
                           struct jdwp_wire_reply *out)
{
    uint64_t symbol = 0;
    if (c->type != JDWP_TYPE_ARRAY &&
        !read_symbol(vm, c, vm->facts.generic, vm->facts.generic_in_pool, &symbol))
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_vm_put_symbol_if(vm, out, symbol);
}

void jdwp_type_signature(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    if (c)
        jdwp_wire_text(out, c->signature);
}

void jdwp_type_signature_generic(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    if (!c)
        return;
    jdwp_wire_text(out, c->signature);
    jdwp_type_put_generic(vm, c, out);
}

void jdwp_type_loader(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint64_t loader = 0;
    if (!c)
        return;
    if (!jdwp_vm_loader(vm, c, &loader))
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_u8(out, loader);
}

/* The modifiers are those of the attribute InnerClasses for a nested class. Up to JDK 24 the VM
 * keeps them in the class, later in the java.lang.Class. Source: jvmtiEnv.cpp (GetClassModifiers).
 */
static bool read_modifiers(struct jdwp_vm *vm, const struct jdwp_class *c, uint32_t *ret_modifiers)
{
    struct oops *o = &vm->snapshot->oops;
    uint32_t access = 0, modifiers;
    if (c->type != JDWP_TYPE_ARRAY &&
        !jdwp_vm_read(vm, field_at(c, vm->facts.access), &access, vm->facts.access_bytes))
        return false;
    if (vm->facts.modifiers >= 0) {
        if (!jdwp_vm_u4(vm, field_at(c, vm->facts.modifiers), &modifiers))
            return false;
    } else {
        uint64_t mirror = oops_klass_mirror(o, c->klass), klass = oops_klass(o, mirror);
        int32_t at = klass == 0 ? -1 : oops_field(o, klass, "modifiers");
        uint16_t value;
        if (at <= 0 || !jdwp_vm_u2(vm, mirror + (uint64_t)at, &value))
            return false;
        modifiers = value;
    }
    *ret_modifiers = (modifiers & 0xffff) | (access & ACC_SUPER);
    return true;
}

void jdwp_type_modifiers(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint32_t modifiers;
    if (!c)
        return;
    if (read_modifiers(vm, c, &modifiers))
        jdwp_wire_u4(out, modifiers);
    else
        jdwp_wire_fail(out, JDWP_INTERNAL);
}

bool jdwp_type_read_status(struct jdwp_vm *vm, const struct jdwp_class *c, uint32_t *ret_status)
{
    uint8_t state;
    *ret_status = 0;
    if (c->type == JDWP_TYPE_ARRAY)
        return true;
    if (!jdwp_vm_read(vm, field_at(c, vm->facts.state), &state, 1))
        return false;
    if (state >= vm->facts.linked)
        *ret_status |= STATUS_VERIFIED | STATUS_PREPARED;
    if (state == vm->facts.initialized)
        *ret_status |= STATUS_INITIALIZED;
    if (state == vm->facts.failed)
        *ret_status |= STATUS_ERROR;
    return true;
}

void jdwp_type_status(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint32_t status;
    if (!c)
        return;
    if (!jdwp_type_read_status(vm, c, &status))
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_u4(out, status);
}

static void put_fields(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                       bool has_generic)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    struct klass_fields fields;
    struct klass_field f;
    size_t count_at = out->used;
    uint32_t count = 0;
    if (!c)
        return;
    jdwp_wire_u4(out, 0);
    if (c->type == JDWP_TYPE_ARRAY)
        return;
    klass_fields_begin(&fields, &vm->snapshot->oops.fields, c->klass);
    for (; klass_fields_next(&fields, &f); count++) {
        jdwp_wire_u8(out, jdwp_field_id(c, &f));
        jdwp_vm_put_symbol(vm, out, f.name);
        jdwp_vm_put_symbol(vm, out, f.signature);
        if (has_generic)
            jdwp_vm_put_symbol_if(vm, out, f.generic);
        jdwp_wire_u4(out, f.access | (f.access & ACC_SYNTHETIC ? synthetic : 0));
    }
    if (fields.broken)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_patch(out, count_at, count);
}

void jdwp_type_fields(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    put_fields(vm, in, out, false);
}

void jdwp_type_fields_generic(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    put_fields(vm, in, out, true);
}

static void put_methods(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                        bool has_generic)
{
    const struct hs_layout *l = vm->snapshot->target.layout;
    struct mem_view view = {.mem = vm->snapshot->target.mem};
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint64_t data = 0;
    if (!c)
        return;
    int64_t count =
        c->type == JDWP_TYPE_ARRAY ? 0 : jdwp_vm_array(vm, field_at(c, vm->facts.methods), &data);
    if (count < 0)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    size_t count_at = out->used;
    uint32_t put = 0;
    jdwp_wire_u4(out, 0);
    for (int64_t i = 0; i < count && out->error == JDWP_OK; i++) {
        struct hs_method_symbols symbols;
        struct method_debug m;
        uint64_t method, generic = 0;
        if (!jdwp_vm_u8(vm, data + (uint64_t)i * 8, &method) ||
            !hs_method_symbols(&view, l, method, &symbols)) {
            jdwp_wire_fail(out, JDWP_INTERNAL);
            return;
        }
        bool opens = method_debug_open(&vm->method_facts, method, &m);
        if (opens && (m.flags & METHOD_DEBUG_OVERPASS) != 0)
            continue;
        put++;
        if (!opens || (has_generic && !method_debug_generic(&m, &generic)))
            jdwp_wire_fail(out, JDWP_INTERNAL);
        jdwp_wire_u8(out, method);
        jdwp_vm_put_symbol(vm, out, symbols.name);
        jdwp_vm_put_symbol(vm, out, symbols.signature);
        if (has_generic)
            jdwp_vm_put_symbol_if(vm, out, generic);
        uint32_t access = opens ? m.access & ACC_METHOD : 0;
        jdwp_wire_u4(out, access | (access & ACC_SYNTHETIC ? synthetic : 0));
    }
    jdwp_wire_patch(out, count_at, put);
}

void jdwp_type_methods(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    put_methods(vm, in, out, false);
}

void jdwp_type_methods_generic(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    put_methods(vm, in, out, true);
}

void jdwp_type_values(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    if (c)
        jdwp_value_put_fields(vm, in, out, c, 0);
}

void jdwp_type_source_file(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct hs_layout *l = vm->snapshot->target.layout;
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint64_t symbol = 0;
    if (!c)
        return;
    if (c->type != JDWP_TYPE_ARRAY &&
        !read_symbol(vm, c, l->klass_source_file, l->pool_source_file, &symbol))
        jdwp_wire_fail(out, JDWP_INTERNAL);
    if (symbol == 0)
        jdwp_wire_fail(out, JDWP_ABSENT_INFORMATION);
    jdwp_vm_put_symbol(vm, out, symbol);
}

/* Nested types have the name of their outer type, a '$' and one more name. As in the JDK's own
 * server, the name decides. */
void jdwp_type_nested(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    size_t count_at = out->used;
    uint32_t count = 0;
    if (!c)
        return;
    size_t len = strlen(c->signature) - 1; /* without ';' */
    jdwp_wire_u4(out, 0);
    for (uint32_t i = 0; c->type != JDWP_TYPE_ARRAY && i < vm->class_count; i++) {
        const struct jdwp_class *one = &vm->classes[i];
        if (one->listed != 0 || strncmp(one->signature, c->signature, len) != 0 ||
            one->signature[len] != '$' || strchr(one->signature + len + 1, '$'))
            continue;
        jdwp_wire_u1(out, one->type);
        jdwp_wire_u8(out, one->klass);
        count++;
    }
    jdwp_wire_patch(out, count_at, count);
}

void jdwp_type_interfaces(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint64_t data = 0, klass = 0;
    if (!c)
        return;
    int64_t count = c->type == JDWP_TYPE_ARRAY
                        ? 0
                        : jdwp_vm_array(vm, field_at(c, vm->facts.interfaces), &data);
    if (count < 0)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_u4(out, (uint32_t)count);
    for (int64_t i = 0; i < count && out->error == JDWP_OK; i++) {
        if (!jdwp_vm_u8(vm, data + (uint64_t)i * 8, &klass) || !jdwp_vm_class(vm, klass))
            jdwp_wire_fail(out, JDWP_INTERNAL);
        jdwp_wire_u8(out, klass);
    }
}

void jdwp_type_object(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    if (!c)
        return;
    uint64_t mirror = oops_klass_mirror(&vm->snapshot->oops, c->klass);
    if (mirror == 0)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_u8(out, mirror);
}

void jdwp_type_debug_extension(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint64_t at = 0;
    if (!c)
        return;
    if (vm->facts.debug_extension < 0 || c->type == JDWP_TYPE_ARRAY ||
        !jdwp_vm_u8(vm, field_at(c, vm->facts.debug_extension), &at) || at == 0) {
        jdwp_wire_fail(out, JDWP_ABSENT_INFORMATION);
        return;
    }
    char *text = malloc(EXTENSION_BYTES);
    if (!text)
        jdwp_wire_fail(out, JDWP_OUT_OF_MEMORY);
    else if (target_text(&vm->snapshot->target, at, text, EXTENSION_BYTES) < 0)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    else
        jdwp_wire_text(out, text);
    free(text);
}

void jdwp_type_version(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct hs_layout *l = vm->snapshot->target.layout;
    const struct jdwp_facts *f = &vm->facts;
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint64_t at;
    uint16_t major, minor;
    if (!c)
        return;
    if (c->type == JDWP_TYPE_ARRAY) {
        jdwp_wire_fail(out, JDWP_ABSENT_INFORMATION);
        return;
    }
    bool is_in_pool = f->major_in_pool >= 0;
    bool is_read = is_in_pool ? jdwp_vm_u8(vm, field_at(c, l->klass_constants), &at) : true;
    at = is_in_pool ? at : c->klass;
    int32_t major_at = is_in_pool ? f->major_in_pool : f->major,
            minor_at = is_in_pool ? f->minor_in_pool : f->minor;
    if (!is_read || major_at < 0 || minor_at < 0 ||
        !jdwp_vm_u2(vm, at + (uint64_t)major_at, &major) ||
        !jdwp_vm_u2(vm, at + (uint64_t)minor_at, &minor)) {
        jdwp_wire_fail(out, JDWP_INTERNAL);
        return;
    }
    jdwp_wire_u4(out, major);
    jdwp_wire_u4(out, minor);
}

void jdwp_type_module(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    struct oops *o = &vm->snapshot->oops;
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint64_t module = 0;
    if (!c)
        return;
    uint64_t mirror = oops_klass_mirror(o, c->klass), klass = oops_klass(o, mirror);
    int32_t at = klass == 0 ? -1 : oops_field(o, klass, "module");
    if (at <= 0)
        jdwp_wire_fail(out, JDWP_NOT_IMPLEMENTED); /* JDK 8 has no modules */
    else if (!oops_load(o, mirror + (uint64_t)at, &module) || module == 0)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_u8(out, module);
}

void jdwp_type_superclass(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    if (!c)
        return;
    if (c->type == JDWP_TYPE_ARRAY) {
        jdwp_wire_fail(out, JDWP_INVALID_CLASS);
        return;
    }
    /* the VM's superclass of an interface is Object, that of Java is none */
    const struct jdwp_class *super = c->type == JDWP_TYPE_INTERFACE ? NULL : jdwp_vm_super(vm, c);
    if (!super && c->type == JDWP_TYPE_CLASS && strcmp(c->signature, "Ljava/lang/Object;") != 0)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_u8(out, super ? super->klass : 0);
}
