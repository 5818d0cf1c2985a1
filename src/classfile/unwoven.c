/*
 * unwoven.c - see unwoven.h.
 *
 * The first pass marks in `ret_offsets` which instructions belong to probes. The second pass counts
 * the bytes of the other instructions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/unwoven.h"
#include <stdbool.h>
#include <string.h>
#include "base/be.h"
#include "base/err.h"
#include "classfile/bytecode.h"
#include "classfile/cpool.h"
#include "safe/own_class.h"

/* The marks of the first pass. */
enum mark { PROGRAM, PROBE, EXIT };

enum {
    ARGUMENTS_MAX = 4,
    SHORT_REACH = 32767, /* in shorter code no jump was made wide */
};

struct pass {
    const uint8_t *code;
    uint32_t len;
    const struct cpool *pool;
    uint16_t *marks;
    /* where the last instructions begin, the newest first */
    uint32_t before[ARGUMENTS_MAX];
    int found;
    /* the last call of `unlock` or `unwound`; `len`: none */
    uint32_t unlocks;
    bool has_wide; /* the code is long and has wide jumps */
};

/* How many arguments a descriptor has. */
static uint32_t arguments_of(struct cpool_utf8 desc)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < desc.len && desc.bytes[i] != ')'; i++, n++) {
        while (i < desc.len && desc.bytes[i] == '[')
            i++;
        if (i < desc.len && desc.bytes[i] == 'L')
            while (i < desc.len && desc.bytes[i] != ';')
                i++;
    }
    return n;
}

static bool is_void(struct cpool_utf8 desc)
{
    return desc.len > 0 && desc.bytes[desc.len - 1] == 'V';
}

/* Whether a tracker's method with this name is called in front of returns and monitorexit. See
 * instrument_probe.h for the names. */
static bool tells_of_end(struct cpool_utf8 name)
{
    return cpool_utf8_starts(name, "exit") || cpool_utf8_is(name, "constructed") ||
           cpool_utf8_is(name, "unlock");
}

static bool is_end(uint8_t op)
{
    return opcode_kind_of(op) == OPCODE_RETURN || op == OP_MONITOREXIT;
}

/* Marks the call at `pc` and its arguments, if it belongs to a probe. Returns whether the next
 * instruction stores the returned value. */
static bool mark_call(struct pass *p, uint32_t pc)
{
    struct cpool_utf8 klass, name, desc;
    uint32_t arguments;
    if (!cpool_method_at(p->pool, be_2(p->code + pc + 1), &klass, &name, &desc) ||
        !own_class_is(klass.bytes, klass.len))
        return false;
    arguments = arguments_of(desc);
    p->marks[pc] = PROBE;
    if (cpool_utf8_is(name, "unlock") || cpool_utf8_is(name, "unwound"))
        p->unlocks = pc;
    for (uint32_t i = 0; i < arguments && i < ARGUMENTS_MAX; i++)
        p->marks[p->before[i]] = PROBE;
    if (arguments > 0 && arguments <= ARGUMENTS_MAX && tells_of_end(name))
        p->marks[p->before[arguments - 1]] = EXIT;
    p->found++;
    return !is_void(desc);
}

static int mark(struct pass *p)
{
    const struct bytecode c = {.code = p->code, .len = p->len};
    bool is_store = false;
    memset(p->marks, 0, p->len * sizeof(*p->marks));
    for (uint32_t pc = 0, len; pc < p->len; pc += len) {
        len = bytecode_length(&c, pc);
        if (len == 0)
            return E_FORMAT;
        p->has_wide |= p->len > SHORT_REACH && opcode_kind_of(p->code[pc]) == OPCODE_GOTO_W;
        /* The athrow after an `unlock` or `unwound` call is the end of unwind (codeplan.h). */
        bool is_unwind = p->code[pc] == OP_ATHROW && pc > 0 && p->unlocks == p->before[0];
        if (is_store || is_unwind)
            p->marks[pc] = PROBE;
        is_store = p->code[pc] == OP_INVOKESTATIC && mark_call(p, pc);
        memmove(p->before + 1, p->before, sizeof(p->before) - sizeof(p->before[0]));
        p->before[0] = pc;
    }
    return 0;
}

/* The old length of the instruction, which stood at `offset`. The padding of a switch depends on
 * its position. */
static uint32_t length_at(uint8_t op, uint32_t pc, uint32_t len, uint32_t offset)
{
    enum opcode_kind kind = opcode_kind_of(op);
    if (kind != OPCODE_TABLE && kind != OPCODE_LOOKUP)
        return len;
    return len - (bytecode_switch_words(pc) - pc) + (bytecode_switch_words(offset) - offset);
}

static void count(struct pass *p)
{
    const struct bytecode c = {.code = p->code, .len = p->len};
    uint32_t offset = 0, exit = p->len; /* where the probes in front of a return begin */
    for (uint32_t pc = 0, len; pc < p->len; pc += len) {
        enum mark mark = (enum mark)p->marks[pc];
        len = bytecode_length(&c, pc);
        for (uint32_t i = 0; i < len; i++)
            p->marks[pc + i] = UNWOVEN_NONE;
        if (mark == EXIT && exit == p->len)
            exit = pc;
        if (mark != PROGRAM)
            continue;
        p->marks[is_end(p->code[pc]) && exit < p->len ? exit : pc] = (uint16_t)offset;
        exit = p->len;
        offset += length_at(p->code[pc], pc, len, offset);
    }
}

int unwoven_map(const uint8_t *code, uint32_t len, const struct cpool *pool, uint16_t *ret_offsets)
{
    struct pass p = {.code = code, .len = len, .pool = pool, .marks = ret_offsets, .unlocks = len};
    int error = mark(&p);
    if (error)
        return error;
    if (p.found > 0 && p.has_wide)
        return E_UNSUPPORTED;
    count(&p);
    return p.found;
}
