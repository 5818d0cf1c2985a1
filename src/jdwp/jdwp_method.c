/*
 * jdwp_method.c - what a debugger asks about methods: the set Method.
 *
 * A method's id is the address of its Method.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include "jdwp/jdwp_answer.h"
#include "safe/hs_method.h"
#include "snapshot/snapshot.h"

enum { ACC_STATIC = 0x0008, ACC_NATIVE = 0x0100 };

/* The method whose class and id come next. */
static bool take_method(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                        struct method_debug *ret_method)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint64_t method = rd_u8(in);
    if (!c)
        return false;
    if (method_debug_open(&vm->method_facts, method, ret_method) &&
        jdwp_vm_class_of_method(vm, method) == c)
        return true;
    jdwp_wire_fail(out, JDWP_INVALID_METHODID);
    return false;
}

void jdwp_method_lines(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    struct method_debug m;
    if (!take_method(vm, in, out, &m))
        return;
    if (m.access & ACC_NATIVE) {
        jdwp_wire_fail(out, JDWP_NATIVE_METHOD);
        return;
    }
    const struct java_method *named = java_methods_get(&vm->snapshot->methods, m.method);
    if (!named)
        jdwp_wire_fail(out, JDWP_OUT_OF_MEMORY);
    /* An abstract method has no code: from -1 to -1. A class that was compiled without lines has an
     * empty table, as of the JDK's server; an error would keep debuggers from showing the frame. */
    uint32_t excluded = (uint32_t)vm->snapshot->target.layout->unsigned5_excluded, count = 0;
    struct hs_method_lines at = {.table = named ? named->lines : NULL,
                                 .len = named ? named->lines_len : 0};
    jdwp_wire_u8(out, m.code_size == 0 ? UINT64_MAX : 0);
    jdwp_wire_u8(out, (uint64_t)m.code_size - 1);
    size_t count_at = out->used;
    jdwp_wire_u4(out, 0);
    for (; hs_method_next_line(&at, excluded); count++) {
        jdwp_wire_u8(out, (uint64_t)at.bci);
        jdwp_wire_u4(out, (uint32_t)at.line);
    }
    jdwp_wire_patch(out, count_at, count);
}

/* The words that the arguments of a method take. */
static uint32_t argument_words(const char *signature)
{
    uint32_t words = 0;
    for (const char *p = signature + (*signature == '('); *p && *p != ')'; p++) {
        words += *p == 'J' || *p == 'D' ? 2 : 1;
        while (*p == '[')
            p++;
        if (*p == 'L')
            p += strcspn(p, ";");
        if (!*p)
            break;
    }
    return words;
}

/* Whether a method of the class has a table of variables. Then the class was compiled with them,
 * and a method without a table has no variables. Source: jvmtiEnv.cpp (GetLocalVariableTable). */
static bool has_variables(struct jdwp_vm *vm, uint64_t of_method)
{
    const struct jdwp_class *c = jdwp_vm_class_of_method(vm, of_method);
    uint64_t data, method, rows;
    int64_t count = c ? jdwp_vm_array(vm, c->klass + (uint64_t)vm->facts.methods, &data) : 0;
    for (int64_t i = 0; i < count; i++) {
        struct method_debug m;
        if (jdwp_vm_u8(vm, data + (uint64_t)i * 8, &method) &&
            method_debug_open(&vm->method_facts, method, &m) &&
            method_debug_variables(&m, &rows) >= 0)
            return true;
    }
    return false;
}

static void put_variables(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                          bool has_generic)
{
    struct method_debug m;
    uint64_t rows;
    if (!take_method(vm, in, out, &m))
        return;
    const struct java_method *named = java_methods_get(&vm->snapshot->methods, m.method);
    int32_t count = method_debug_variables(&m, &rows);
    if (count == -ENOENT && !(m.access & ACC_NATIVE) && has_variables(vm, m.method))
        count = 0;
    if (!named || count < 0) {
        jdwp_wire_fail(out, m.access & ACC_NATIVE        ? JDWP_NATIVE_METHOD
                            : !named || count == -EFAULT ? JDWP_INTERNAL
                                                         : JDWP_ABSENT_INFORMATION);
        return;
    }
    jdwp_wire_u4(out, argument_words(named->signature) + !(m.access & ACC_STATIC));
    jdwp_wire_u4(out, (uint32_t)count);
    for (int32_t i = 0; i < count && out->error == JDWP_OK; i++) {
        struct method_debug_variable v;
        if (!method_debug_variable(&m, rows, (uint32_t)i, &v)) {
            jdwp_wire_fail(out, JDWP_INTERNAL);
            return;
        }
        jdwp_wire_u8(out, v.start_bci);
        jdwp_vm_put_symbol(vm, out, v.name);
        jdwp_vm_put_symbol(vm, out, v.signature);
        if (has_generic)
            jdwp_vm_put_symbol_if(vm, out, v.generic);
        jdwp_wire_u4(out, v.length);
        jdwp_wire_u4(out, v.slot);
    }
}

void jdwp_method_variables(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    put_variables(vm, in, out, false);
}

void jdwp_method_variables_generic(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    put_variables(vm, in, out, true);
}

/* A method is obsolete if its class does not list it any more, because an agent has given the class
 * other bytecodes. */
void jdwp_method_is_obsolete(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c = jdwp_type_take(vm, in, out);
    uint64_t method = rd_u8(in), data = 0, one;
    if (!c)
        return;
    int64_t count = c->type == JDWP_TYPE_ARRAY
                        ? -1
                        : jdwp_vm_array(vm, c->klass + (uint64_t)vm->facts.methods, &data);
    if (jdwp_vm_class_of_method(vm, method) != c || count < 0)
        jdwp_wire_fail(out, JDWP_INVALID_METHODID);
    bool is_listed = false;
    for (int64_t i = 0; i < count && !is_listed; i++)
        is_listed = jdwp_vm_u8(vm, data + (uint64_t)i * 8, &one) && one == method;
    jdwp_wire_u1(out, !is_listed);
}
