/*
 * probecode.c - makes the instructions of the probes: see probecode.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/probecode.h"
#include <stdbool.h>
#include <string.h>
#include "base/be.h"
#include "classfile/codeplan.h"
#include "classfile/cpool.h"
#include "classfile/instrument_probe.h"

enum {
    OP_ILOAD_0 = 26, /* iload_0 to iload_3, followed by lload_0 to lload_3 */
    OP_LLOAD_0 = 30,
    OP_LSTORE_0 = 63,
    ICONST_MAX = 5,
    SHORT_FORM_LOCALS = 4,
};

/* Adds an instruction with an operand of `len` bytes. */
static void put(struct codeplan_insert *in, uint8_t op, unsigned len, uint32_t v)
{
    in->bytes[in->len++] = op;
    if (len == 1)
        in->bytes[in->len] = (uint8_t)v;
    else if (len == 2)
        be_put2(in->bytes + in->len, (uint16_t)v);
    in->len += len;
}

/* Pushes the number. If it is too large for an operand, `constant` is its index in the pool. */
static void put_number(struct codeplan_insert *in, int32_t number, uint16_t constant)
{
    if (number <= ICONST_MAX)
        put(in, (uint8_t)(OP_ICONST_0 + number), 0, 0);
    else if (number <= INT8_MAX)
        put(in, OP_BIPUSH, 1, (uint32_t)number);
    else if (number <= INT16_MAX)
        put(in, OP_SIPUSH, 2, (uint32_t)number);
    else
        put(in, OP_LDC_W, 2, constant);
}

/* Adds a load or store of a local in its shortest form. */
static void put_local(struct codeplan_insert *in, uint8_t op, uint8_t op_0, uint16_t local)
{
    if (local < SHORT_FORM_LOCALS) {
        put(in, (uint8_t)(op_0 + local), 0, 0);
    } else if (local <= UINT8_MAX) {
        put(in, op, 1, local);
    } else {
        put(in, OP_WIDE, 0, 0);
        put(in, op, 2, local);
    }
}

static void put_load(struct codeplan_insert *in, char kept, uint16_t local)
{
    if (kept == 'J')
        put_local(in, OP_LLOAD, OP_LLOAD_0, local);
    else
        put_local(in, OP_ILOAD, OP_ILOAD_0, local);
}

static void put_store(struct codeplan_insert *in, char kept, uint16_t local)
{
    if (kept == 'J')
        put_local(in, OP_LSTORE, OP_LSTORE_0, local);
    else
        put_local(in, OP_ISTORE, OP_ISTORE_0, local);
}

/* Adds a call of the tracker. *ref is its Methodref, which is added when it is first needed.
 * Returns 0 if the pool is full. */
static int put_call(struct codeplan_insert *in, struct probecode *refs, uint16_t *ref,
                    struct cpool *pool, const char *name, const char *desc)
{
    if (*ref == 0)
        *ref = cpool_add_methodref(pool, refs->tracker, name, desc);
    put(in, OP_INVOKESTATIC, 2, *ref);
    return *ref != 0;
}

struct probecode_arguments probecode_arguments_of(struct cpool_utf8 desc, bool is_static)
{
    struct probecode_arguments a = {.end = is_static ? 0 : 1};
    uint32_t at = 1; /* after the bracket */
    if (at < desc.len && (desc.bytes[at] == 'L' || desc.bytes[at] == '[')) {
        a.has_object = true;
        a.object = a.end++;
        while (at < desc.len && desc.bytes[at] == '[')
            at++;
        if (at < desc.len && desc.bytes[at] == 'L')
            while (at < desc.len && desc.bytes[at] != ';')
                at++;
        at++;
    }
    if (at < desc.len && desc.bytes[at] == 'J') {
        a.has_number = true;
        a.number = a.end;
        a.end += 2;
    }
    return a;
}

static void put_arguments(struct codeplan_insert *in, const struct probecode_method *m)
{
    struct probecode_arguments a = probecode_arguments_of(m->desc, m->is_static);
    if (a.has_object)
        put_local(in, OP_ALOAD, OP_ALOAD_0, a.object);
    else
        put(in, OP_ACONST_NULL, 0, 0);
    if (a.has_number)
        put_local(in, OP_LLOAD, OP_LLOAD_0, a.number);
    else
        put(in, OP_LCONST_0, 0, 0);
}

/* The descriptors of the calls in a method that keeps a value: enter_keep, exit_keep, caught. */
struct keeping {
    const char *gives, *takes, *caught;
};

static bool make_unwound(struct probecode *refs, const struct instrument_probe *probe,
                         struct cpool *pool, const struct probecode_method *m,
                         struct codeplan_probe *ret)
{
    if (probe->keep != INSTRUMENT_KEEP_UNWOUND || !m->can_unwind)
        return true;
    put(&ret->unwind, OP_DUP, 0, 0);
    put_load(&ret->unwind, probe->kept, m->local);
    ret->unwind_keeps = true;
    return put_call(&ret->unwind, refs, &refs->caught, pool, probe->caught,
                    probe->kept == 'J' ? "(Ljava/lang/Throwable;J)V" : "(Ljava/lang/Throwable;I)V");
}

static struct keeping keeping_of(const struct instrument_probe *probe, bool is_object_passed)
{
    bool is_long = probe->kept == 'J';
    if (is_object_passed)
        return is_long ? (struct keeping){"(ILjava/lang/Object;)J", "(J)V", "(J)V"}
                       : (struct keeping){"(ILjava/lang/Object;)I", "(I)V", "(I)V"};
    if (probe->has_arguments)
        return (struct keeping){
            is_long ? "(ILjava/lang/Object;J)J" : "(ILjava/lang/Object;J)I",
            is_long ? "(JILjava/lang/Object;J)V" : "(IILjava/lang/Object;J)V",
            is_long ? "(J)V" : "(I)V",
        };
    return is_long ? (struct keeping){"(I)J", "(J)V", "(J)V"}
                   : (struct keeping){"(I)I", "(I)V", "(I)V"};
}

/* Pushes the object of the method, or null in a static method. */
static void put_this(struct codeplan_insert *in, const struct probecode_method *m)
{
    put(in, m->is_static ? OP_ACONST_NULL : OP_ALOAD_0, 0, 0);
}

static int make_plain(struct probecode *refs, const struct instrument_probe *probe,
                      struct cpool *pool, bool is_object_passed, struct codeplan_probe *ret)
{
    bool is_good = is_object_passed
                       ? put_call(&ret->enter, refs, &refs->enter_object, pool, probe->enter,
                                  "(ILjava/lang/Object;)V")
                       : put_call(&ret->enter, refs, &refs->enter, pool, probe->enter, "(I)V");
    return is_good && put_call(&ret->exit, refs, &refs->exit, pool, probe->exit, "(I)V");
}

static int make_calls(struct probecode *refs, const struct instrument_probe *probe,
                      struct cpool *pool, const struct probecode_method *m,
                      struct codeplan_probe *ret)
{
    uint16_t constant = 0;
    if (m->number > INT16_MAX)
        constant = cpool_add_integer(pool, m->number);
    if (m->number > INT16_MAX && constant == 0)
        return 0;
    bool is_object_passed = probe->has_object && !m->is_constructor;
    put_number(&ret->enter, m->number, constant);
    if (is_object_passed)
        put_this(&ret->enter, m);
    if (!m->is_kept) {
        put_number(&ret->exit, m->number, constant);
        return make_plain(refs, probe, pool, is_object_passed, ret);
    }
    char kept = probe->kept;
    struct keeping keeping = keeping_of(probe, is_object_passed);
    put_load(&ret->exit, kept, m->local);
    if (probe->has_arguments) {
        put_number(&ret->exit, m->number, constant);
        put_arguments(&ret->enter, m);
        put_arguments(&ret->exit, m);
    }
    uint16_t *enter_keep = is_object_passed ? &refs->enter_keep_object : &refs->enter_keep;
    if (!put_call(&ret->enter, refs, enter_keep, pool, probe->enter_keep, keeping.gives) ||
        !put_call(&ret->exit, refs, &refs->exit_keep, pool, probe->exit_keep, keeping.takes))
        return 0;
    put_store(&ret->enter, kept, m->local);
    if (!make_unwound(refs, probe, pool, m, ret))
        return 0;
    if (!m->has_handlers || probe->keep == INSTRUMENT_KEEP_UNWOUND)
        return 1;
    put_load(&ret->caught, kept, m->local);
    return put_call(&ret->caught, refs, &refs->caught, pool, probe->caught, keeping.caught);
}

static const char takes_object[] = "(Ljava/lang/Object;)V";

static int make_constructed(struct probecode *refs, const struct instrument_probe *probe,
                            struct cpool *pool, struct codeplan_probe *ret)
{
    put(&ret->exit, OP_ALOAD_0, 0, 0);
    return put_call(&ret->exit, refs, &refs->constructed, pool, probe->constructed, takes_object);
}

/* Pushes the object that a synchronized method has locked. */
static void put_locked(struct codeplan_insert *in, const struct probecode_method *m)
{
    if (m->is_static)
        put(in, OP_LDC_W, 2, m->this_class);
    else
        put(in, OP_ALOAD_0, 0, 0);
}

static int make_unlock(struct probecode *refs, const struct instrument_probe *probe,
                       struct cpool *pool, const struct probecode_method *m,
                       struct codeplan_probe *ret)
{
    put(&ret->unlock, OP_DUP, 0, 0);
    if (!put_call(&ret->unlock, refs, &refs->unlock, pool, probe->unlock, takes_object))
        return 0;
    if (!m->gives_back)
        return 1;
    put_locked(&ret->exit, m);
    put_locked(&ret->unwind, m);
    return put_call(&ret->exit, refs, &refs->unlock, pool, probe->unlock, takes_object) &&
           put_call(&ret->unwind, refs, &refs->unlock, pool, probe->unlock, takes_object);
}

static int make_objects(struct probecode *refs, const struct instrument_probe *probe,
                        struct cpool *pool, bool is_object_init, struct codeplan_probe *ret)
{
    const char *takes = takes_object;
    struct codeplan_insert *made = ret->made;
    if (is_object_init) {
        put(&ret->enter, OP_ALOAD_0, 0, 0);
        if (!put_call(&ret->enter, refs, &refs->object, pool, probe->object, takes))
            return 0;
    }
    for (int i = 0; i < CODEPLAN_MADE_COUNT; i++)
        if (i != CODEPLAN_MADE_MAYBE || probe->maybe)
            put(&made[i], OP_DUP, 0, 0);
    return put_call(&made[CODEPLAN_MADE_ARRAY], refs, &refs->array, pool, probe->array, takes) &&
           put_call(&made[CODEPLAN_MADE_ARRAYS], refs, &refs->arrays, pool, probe->arrays, takes) &&
           (!probe->maybe ||
            put_call(&made[CODEPLAN_MADE_MAYBE], refs, &refs->maybe, pool, probe->maybe, takes));
}

int probecode_make(struct probecode *refs, const struct instrument_probe *probe, struct cpool *pool,
                   const struct probecode_method *m, struct codeplan_probe *ret)
{
    if (refs->tracker == 0)
        refs->tracker = cpool_add_class(pool, probe->tracker, strlen(probe->tracker));
    if (refs->tracker == 0)
        return 0;
    if (probe->constructed)
        return make_constructed(refs, probe, pool, ret);
    if (probe->unlock)
        return make_unlock(refs, probe, pool, m, ret);
    return probe->array ? make_objects(refs, probe, pool, m->is_object_init, ret)
                        : make_calls(refs, probe, pool, m, ret);
}
