/*
 * allocsite.c - see allocsite.h.
 *
 * The calls are: clone() of arrays and super.clone(); the natives behind Array.newInstance and
 * Unsafe.allocateInstance; and Arrays.copyOf and copyOfRange with a class, because the JIT compiler
 * replaces these calls by code that makes the array. An override of clone() may return an object
 * that was counted before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/allocsite.h"
#include "base/be.h"
#include "classfile/bytecode.h"
#include "classfile/cpool.h"

/* A row is: instruction, class, method, descriptor; NULL matches any. */
static const struct {
    uint8_t op;
    const char *klass, *name, *desc;
} calls[] = {
    {OP_INVOKESPECIAL, NULL, "clone", "()Ljava/lang/Object;"},
    {OP_INVOKEVIRTUAL, "java/lang/Object", "clone", "()Ljava/lang/Object;"},
    {OP_INVOKESTATIC, "java/lang/reflect/Array", "newArray", NULL},
    {OP_INVOKESTATIC, "java/lang/reflect/Array", "multiNewArray", NULL},
    {OP_INVOKEVIRTUAL, "sun/misc/Unsafe", "allocateInstance", NULL},
    {OP_INVOKESTATIC, "java/util/Arrays", "copyOf",
     "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;"},
    {OP_INVOKESTATIC, "java/util/Arrays", "copyOfRange",
     "([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;"},
};

static bool is_call(const struct cpool *pool, const struct bytecode *c, uint32_t pc)
{
    struct cpool_utf8 klass, name, desc;
    uint8_t op = c->code[pc];
    if (!cpool_method_at(pool, be_2(c->code + pc + 1), &klass, &name, &desc))
        return false;
    if (op == OP_INVOKEVIRTUAL && cpool_utf8_starts(klass, "[") && cpool_utf8_is(name, "clone"))
        return true;
    for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        if (op == calls[i].op && (!calls[i].klass || cpool_utf8_is(klass, calls[i].klass)) &&
            cpool_utf8_is(name, calls[i].name) &&
            (!calls[i].desc || cpool_utf8_is(desc, calls[i].desc)))
            return true;
    return false;
}

uint32_t allocsite_mark(const struct cpool *pool, struct bytecode *c)
{
    uint32_t n = 0;
    for (uint32_t pc = 0; pc < c->len; pc++) {
        int makes = 0;
        if (!(c->marks[pc] & BYTECODE_BEGIN))
            continue;
        switch (c->code[pc]) {
        case OP_NEWARRAY:
        case OP_ANEWARRAY:
        case OP_MULTIANEWARRAY:
            makes = 1;
            break;
        case OP_INVOKEVIRTUAL:
        case OP_INVOKESPECIAL:
        case OP_INVOKESTATIC:
            makes = is_call(pool, c, pc);
            break;
        default:
            break;
        }
        if (makes) {
            c->marks[pc] |= BYTECODE_MAKES;
            n++;
        }
    }
    return n;
}
