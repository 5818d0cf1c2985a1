/*
 * weavecheck.c - see weavecheck.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "weavecheck.h"
#include <stdbool.h>
#include <string.h>
#include "base/arena.h"
#include "base/be.h"
#include "classfile/bytecode.h"
#include "classfile/classfile.h"

/* Jumps in longer code are written in several ways, which are not compared. */
enum { COMPARED_BYTES_MAX = 16000 };

/* A method's code, and how far it is compared. */
struct side {
    struct classfile file;
    struct bytecode code;
    struct bytecode_room room;
    uint32_t pc;
};

static uint32_t instruction_end(const struct side *s, uint32_t pc)
{
    do
        pc++;
    while (pc < s->code.len && !(s->code.marks[pc] & BYTECODE_BEGIN));
    return pc;
}

static bool is_same_constant(const struct side *x, unsigned at_x, const struct side *y,
                             unsigned at_y)
{
    struct cpool_utf8 of_x[3];
    struct cpool_utf8 of_y[3];
    if (at_x == at_y)
        return true;
    if (cpool_tag_of(&x->file.pool, at_x) == CPOOL_INTEGER &&
        cpool_tag_of(&y->file.pool, at_y) == CPOOL_INTEGER)
        return memcmp(x->file.bytes + x->file.pool.at[at_x], y->file.bytes + y->file.pool.at[at_y],
                      5) == 0;
    if (!cpool_method_at(&x->file.pool, at_x, of_x, of_x + 1, of_x + 2) ||
        !cpool_method_at(&y->file.pool, at_y, of_y, of_y + 1, of_y + 2))
        return false;
    for (int i = 0; i < 3; i++)
        if (of_x[i].len != of_y[i].len || memcmp(of_x[i].bytes, of_y[i].bytes, of_x[i].len) != 0)
            return false;
    return true;
}

/* Whether the next instructions are the same; where jumps lead is the verifier's to see. */
static bool is_same_instruction(const struct side *x, const struct side *y)
{
    const uint8_t *at_x = x->code.code + x->pc;
    const uint8_t *at_y = y->code.code + y->pc;
    uint32_t len = instruction_end(x, x->pc) - x->pc;
    if (*at_x != *at_y)
        return false;
    switch (opcode_kind_of(*at_x)) {
    case OPCODE_PLAIN:
        break;
    case OPCODE_WIDE:
    case OPCODE_RETURN:
        return memcmp(at_x, at_y, len) == 0;
    default:
        return true;
    }
    if (*at_x == OP_LDC_W || (*at_x >= OP_INVOKEVIRTUAL && *at_x <= OP_INVOKESTATIC))
        return is_same_constant(x, be_2(at_x + 1), y, be_2(at_y + 1));
    return len == instruction_end(y, y->pc) - y->pc && memcmp(at_x, at_y, len) == 0;
}

/* Steps over a load and a call of `caught`; whether they are next. */
static int skip_caught(struct side *s)
{
    struct cpool_utf8 klass, name, desc;
    uint32_t call = instruction_end(s, s->pc);
    if (call >= s->code.len || s->code.code[call] != OP_INVOKESTATIC ||
        !cpool_method_at(&s->file.pool, be_2(s->code.code + call + 1), &klass, &name, &desc) ||
        !cpool_utf8_is(name, "caught"))
        return 0;
    s->pc = instruction_end(s, call);
    return 1;
}

static bool is_same_code(struct side *once, struct side *turns)
{
    once->pc = turns->pc = 0;
    while (once->pc < once->code.len && turns->pc < turns->code.len) {
        if (is_same_instruction(once, turns)) {
            once->pc = instruction_end(once, once->pc);
            turns->pc = instruction_end(turns, turns->pc);
        } else if (!skip_caught(turns)) {
            return false;
        }
    }
    return once->pc == once->code.len && turns->pc == turns->code.len;
}

static int read_side(struct side *s, const void *bytes, size_t len, struct arena *a)
{
    size_t at;
    *s = (struct side){0};
    return classfile_read(&s->file, bytes, len, a, &at) == 0;
}

static int read_method(struct side *s, uint32_t i, struct arena *a)
{
    const struct classfile_method *m = s->file.methods + i;
    return m->code_at != 0 && bytecode_read(&s->code, m->code, m->code_len, &s->room, a) == 0 &&
           s->code.len <= COMPARED_BYTES_MAX;
}

int weavecheck(const struct instrument_probe *const *probes, uint32_t probe_count,
               const uint8_t *bytes, size_t len, struct arena *a, struct cpool_utf8 *ret_method)
{
    struct instrument_result once, turn[INSTRUMENT_PROBES_MAX];
    struct side x, y;
    const void *last = bytes;
    size_t last_len = len;
    int n = 0;
    if (instrument_class(probes, probe_count, bytes, len, a, &once) != 0)
        return 0;
    for (uint32_t p = 0; p < probe_count; p++) {
        if (instrument_class(probes + p, 1, last, last_len, a, turn + p) != 0)
            return 0;
        last = turn[p].bytes ? turn[p].bytes : last;
        last_len = turn[p].bytes ? turn[p].len : last_len;
    }
    if (!read_side(&x, once.bytes ? once.bytes : bytes, once.bytes ? once.len : len, a) ||
        !read_side(&y, last, last_len, a))
        return 0;
    for (uint32_t i = 0; i < once.row_count; i++) {
        bool is_same = true;
        for (uint32_t p = 0; p < probe_count; p++)
            is_same &= once.shares[p].rows[i].verdict == turn[p].shares->rows[i].verdict;
        if (!is_same || !read_method(&x, i, a) || !read_method(&y, i, a))
            continue;
        if (!is_same_code(&x, &y)) {
            *ret_method = once.shares->rows[i].name;
            return -1;
        }
        n++;
    }
    return n;
}
