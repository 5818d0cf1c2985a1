/*
 * codemove.c - writes a new Code attribute: see codemove.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/codemove.h"
#include <string.h>
#include "base/be.h"
#include "base/err.h"
#include "base/rd.h"
#include "classfile/annotation.h"
#include "classfile/classfile.h"
#include "classfile/codeplan.h"
#include "classfile/outbuf.h"

enum { WIDER = OP_GOTO_W - OP_GOTO }; /* the distance from goto to goto_w, and from jsr to jsr_w */

static uint8_t *put_goto_w(uint8_t *to, uint32_t from_position, uint32_t to_position)
{
    to[0] = OP_GOTO_W;
    be_put4(to + 1, to_position - from_position);
    return to + CODEPLAN_JUMP_BYTES;
}

static uint8_t *put_insert(uint8_t *to, const struct codeplan_insert *in)
{
    /* copying a fixed size is faster; `to` has room for it */
    memcpy(to, in->bytes, sizeof(in->bytes));
    return to + in->len;
}

/* codeplan.h defines the order of the probes at each place. */
static uint8_t *put_enter(uint8_t *to, const struct codeplan *p)
{
    for (uint32_t i = p->probe_count; i > 0; i--)
        to = put_insert(to, &p->probes[i - 1].enter);
    return to;
}

static uint8_t *put_caught(uint8_t *to, const struct codeplan *p)
{
    for (uint32_t i = p->probe_count; i > 0; i--)
        to = put_insert(to, &p->probes[i - 1].caught);
    return to;
}

static uint8_t *put_exit(uint8_t *to, const struct codeplan *p)
{
    for (uint32_t i = 0; i < p->probe_count; i++)
        to = put_insert(to, &p->probes[i].exit);
    return to;
}

static uint8_t *put_unlock(uint8_t *to, const struct codeplan *p)
{
    for (uint32_t i = 0; i < p->probe_count; i++)
        to = put_insert(to, &p->probes[i].unlock);
    return to;
}

static uint8_t *put_unwind(uint8_t *to, const struct codeplan *p)
{
    for (uint32_t i = 0; i < p->probe_count; i++)
        to = put_insert(to, &p->probes[i].unwind);
    if (p->unwind_len > 0)
        *to++ = OP_ATHROW;
    return to;
}

static uint8_t *put_made(uint8_t *to, const struct codeplan *p, enum codeplan_made made)
{
    for (uint32_t i = made == CODEPLAN_MADE_COUNT ? 0 : p->probe_count; i > 0; i--)
        to = put_insert(to, &p->probes[i - 1].made[made]);
    return to;
}

static uint8_t *put_island(uint8_t *to, const struct codeplan *p, uint32_t pc)
{
    if (pc < p->code->len) {
        to[0] = OP_GOTO;
        be_put2(to + 1, (uint16_t)(codeplan_start(p, pc) - codeplan_end(p, pc)));
        to += CODEPLAN_OVER_BYTES;
    }
    for (uint32_t i = 0; i < p->jump_count; i++)
        if (p->jumps[i].place == pc)
            to = put_goto_w(to, codeplan_jump(p, i), codeplan_target(p, p->jumps[i].target));
    return to;
}

static uint8_t *put_jump(uint8_t *to, const struct codeplan *p, const struct bytecode_event *e)
{
    uint32_t position = codeplan_instruction(p, e->pc);
    uint32_t destination = codeplan_destination(p, e);
    uint8_t op = p->code->code[e->pc];
    if (e->kind == OPCODE_IF && e->is_wide) {
        to[0] = opcode_inverse(op);
        be_put2(to + 1, CODEPLAN_IF_BYTES);
        return put_goto_w(to + 3, position + 3, destination);
    }
    to[0] = op;
    if (e->kind == OPCODE_GOTO && e->is_wide)
        to[0] = (uint8_t)(op + WIDER);
    if (e->kind == OPCODE_GOTO_W || e->is_wide) {
        be_put4(to + 1, destination - position);
        return to + CODEPLAN_JUMP_BYTES;
    }
    be_put2(to + 1, (uint16_t)(destination - position));
    return to + 3;
}

static uint8_t *put_switch(uint8_t *to, const struct codeplan *p, const struct bytecode_event *e)
{
    uint32_t position = codeplan_instruction(p, e->pc);
    uint32_t count = bytecode_switch_count(p->code, e);
    const uint8_t *from = p->code->code + bytecode_switch_words(e->pc);
    *to++ = p->code->code[e->pc];
    for (uint32_t pad = bytecode_switch_words(position) - position - 1; pad > 0; pad--)
        *to++ = 0;
    for (uint32_t i = 0; i < count; i++, from += 4, to += 4) {
        if (bytecode_switch_is_offset(e, i))
            be_put4(to, codeplan_target(p, e->pc + be_4(from)) - position);
        else
            memcpy(to, from, 4);
    }
    return to;
}

static uint8_t *put_instruction(uint8_t *to, const struct codeplan *p,
                                const struct bytecode_event *e)
{
    switch (e->kind) {
    case OPCODE_IF:
    case OPCODE_GOTO:
    case OPCODE_GOTO_W:
        return put_jump(to, p, e);
    case OPCODE_TABLE:
    case OPCODE_LOOKUP:
        return put_switch(to, p, e);
    default:
        memcpy(to, p->code->code + e->pc, e->len);
        return put_made(to + e->len, p, codeplan_made_at(p, e->pc));
    }
}

static void put_code(const struct codeplan *p, struct outbuf *o)
{
    const struct bytecode *c = p->code;
    size_t begin = o->len;
    uint8_t *to = outbuf_take(o, p->new_len + CODEPLAN_INSERT_MAX);
    if (!to)
        return;
    const uint8_t *first = to;
    uint32_t pc = 0;
    for (uint32_t i = 0; i < c->event_count; i++) {
        const struct bytecode_event *e = c->events + i;
        memcpy(to, c->code + pc, e->pc - pc);
        to += e->pc - pc;
        if (e->pc == 0)
            to = put_enter(to, p);
        if (c->marks[e->pc] & BYTECODE_ISLAND)
            to = put_island(to, p, e->pc);
        if (c->marks[e->pc] & BYTECODE_HANDLER)
            to = put_caught(to, p);
        if (e->kind == OPCODE_RETURN)
            to = put_exit(to, p);
        if (c->marks[e->pc] & BYTECODE_UNLOCKS)
            to = put_unlock(to, p);
        to = put_instruction(to, p, e);
        pc = e->pc + e->len;
    }
    memcpy(to, c->code + pc, c->len - pc);
    to += c->len - pc;
    if (c->marks[c->len] & BYTECODE_ISLAND)
        to = put_island(to, p, c->len);
    to = put_unwind(to, p);
    if ((uint32_t)(to - first) != p->new_len)
        o->error = E_FORMAT; /* the plan and the written code differ: a bug in this code */
    outbuf_cut(o, begin + p->new_len);
}

/* Writes an entry that covers one probe's call at a handler and leads to the place behind the call.
 * Returns how many entries it wrote, 0 or 1. */
static uint32_t put_caught_entry(const struct codeplan *p, uint32_t probe, const uint8_t *h,
                                 struct outbuf *o)
{
    uint32_t len = p->probes[probe].caught.len;
    if (len == 0)
        return 0;
    uint32_t call = codeplan_caught(p, be_2(h + 4), probe);
    outbuf_u2(o, (uint16_t)call);
    outbuf_u2(o, (uint16_t)(call + len));
    outbuf_u2(o, (uint16_t)(call + len));
    outbuf_u2(o, be_2(h + 6));
    return 1;
}

/* Writes the entries for all calls at handlers. Returns how many. If two handlers in a row are
 * equal, the entries of the second are left out; other repetitions do no harm. */
static uint32_t put_caught_entries(const struct codeplan *p, struct outbuf *o)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->code->handler_count && p->caught_len > 0; i++) {
        const uint8_t *h = p->code->handlers + 8 * (size_t)i;
        /* compares handler and catch type */
        bool is_repeated = i > 0 && memcmp(h - 4, h + 4, 4) == 0;
        for (uint32_t probe = is_repeated ? 0 : p->probe_count; probe > 0; probe--)
            n += put_caught_entry(p, probe - 1, h, o);
    }
    return n;
}

/* Writes the last entry: the handler `unwind` for everything that leaves the method, or, if it uses
 * kept values, for everything behind enter. Returns how many entries it wrote, 0 or 1. */
static uint32_t put_unwind_entry(const struct codeplan *p, struct outbuf *o)
{
    if (p->unwind_len == 0)
        return 0;
    outbuf_u2(o, codeplan_unwind_keeps(p) ? (uint16_t)codeplan_end(p, 0) : 0);
    outbuf_u2(o, (uint16_t)codeplan_unwind(p));
    outbuf_u2(o, (uint16_t)codeplan_unwind(p));
    outbuf_u2(o, 0);
    return 1;
}

/* Writes the whole exception table. Returns how many entries were added in front of the old
 * ones. */
static uint32_t put_handlers(const struct codeplan *p, struct outbuf *o)
{
    size_t count_at = o->len;
    outbuf_u2(o, 0);
    uint32_t added = put_caught_entries(p, o);
    for (uint32_t i = 0; i < p->code->handler_count; i++) {
        const uint8_t *h = p->code->handlers + 8 * (size_t)i;
        outbuf_u2(o, (uint16_t)codeplan_start(p, be_2(h)));
        outbuf_u2(o, (uint16_t)codeplan_end(p, be_2(h + 2)));
        outbuf_u2(o, (uint16_t)codeplan_start(p, be_2(h + 4)));
        outbuf_u2(o, be_2(h + 6));
    }
    uint32_t count = added + p->code->handler_count + put_unwind_entry(p, o);
    outbuf_set_u2(o, count_at, (uint16_t)count);
    return count <= UINT16_MAX ? added : UINT32_MAX;
}

static int move_lines(uint8_t *bytes, size_t len, const struct codeplan *p)
{
    if (len < 2 || len != 2 + 4 * (size_t)be_2(bytes))
        return E_FORMAT;
    for (size_t i = 2; i < len; i += 4) {
        uint32_t pc = be_2(bytes + i);
        if (pc >= p->code->len)
            return E_FORMAT;
        be_put2(bytes + i, (uint16_t)(pc == 0 ? 0 : codeplan_begin(p, pc)));
    }
    return 0;
}

/* LocalVariableTable and LocalVariableTypeTable have the same layout. */
static int move_variables(uint8_t *bytes, size_t len, const struct codeplan *p)
{
    if (len < 2 || len != 2 + 10 * (size_t)be_2(bytes))
        return E_FORMAT;
    for (size_t i = 2; i < len; i += 10) {
        uint32_t start = be_2(bytes + i);
        uint32_t end = start + be_2(bytes + i + 2);
        if (end > p->code->len)
            return E_FORMAT;
        uint32_t moved = codeplan_begin(p, start);
        be_put2(bytes + i, (uint16_t)moved);
        be_put2(bytes + i + 2, (uint16_t)(codeplan_begin(p, end) - moved));
    }
    return 0;
}

/* Copies the contents of an attribute and moves the code offsets in it. */
static int put_table(const struct codemove *m, struct classfile_attribute *a,
                     uint32_t handlers_added, struct outbuf *o)
{
    const struct codeplan *p = m->plan;
    outbuf_u4(o, a->len);
    uint8_t *to = outbuf_take(o, a->len);
    if (!to)
        return 0; /* `o` keeps the error */
    memcpy(to, a->bytes, a->len);
    if (cpool_utf8_is(a->name, "LineNumberTable"))
        return move_lines(to, a->len, p);
    if (cpool_utf8_is(a->name, "LocalVariableTable") ||
        cpool_utf8_is(a->name, "LocalVariableTypeTable"))
        return move_variables(to, a->len, p);
    if (cpool_utf8_is(a->name, "RuntimeVisibleTypeAnnotations") ||
        cpool_utf8_is(a->name, "RuntimeInvisibleTypeAnnotations"))
        return annotation_move(to, a->len, p, handlers_added);
    return 0;
}

static int put_frames(const struct codemove *m, struct outbuf *o)
{
    size_t len_at = o->len;
    outbuf_u4(o, 0);
    int error = stackmap_write(&m->map, m->plan, o, m->room, m->arena);
    outbuf_set_u4(o, len_at, (uint32_t)(o->len - len_at - 4));
    return error;
}

int codemove_write(const struct codemove *m, struct outbuf *o)
{
    const struct bytecode *c = m->plan->code;
    outbuf_u2(o, m->max_stack);
    outbuf_u2(o, m->max_locals);
    outbuf_u4(o, m->plan->new_len);
    put_code(m->plan, o);
    uint32_t added = put_handlers(m->plan, o);
    if (added == UINT32_MAX)
        return E_LIMIT;
    struct rd r;
    struct classfile_attribute a;
    rd_init(&r, c->attribute, c->attribute_len);
    rd_skip(&r, c->attributes_at);
    unsigned count = rd_u2(&r);
    bool makes_frames = m->frames_name != 0;
    if (makes_frames && count == UINT16_MAX)
        return E_LIMIT;
    outbuf_u2(o, (uint16_t)(count + makes_frames));
    int error = 0;
    if (makes_frames) {
        outbuf_u2(o, m->frames_name);
        error = put_frames(m, o);
    }
    for (; count > 0 && error == 0 && classfile_next_attribute(&r, &m->map.file->pool, &a) == 0;
         count--) {
        outbuf_bytes(o, c->attribute + a.begin, 2);
        error = a.bytes == m->map.bytes ? put_frames(m, o) : put_table(m, &a, added, o);
    }
    if (error == 0 && (r.error != 0 || rd_left(&r) > 0))
        error = E_FORMAT;
    return error;
}
