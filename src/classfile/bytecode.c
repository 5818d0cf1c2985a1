/*
 * bytecode.c - reads a Code attribute in place: see bytecode.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/bytecode.h"
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/rd.h"
#include "base/be.h"

uint32_t bytecode_switch_words(uint32_t pc)
{
    return (pc + 4) & ~3u;
}

uint32_t bytecode_switch_count(const struct bytecode *c, const struct bytecode_event *e)
{
    return (e->pc + e->len - bytecode_switch_words(e->pc)) / 4;
}

/* The words of a tableswitch: default, low, high, offsets. The words of a lookupswitch: default,
 * count, pairs of key and offset. */
bool bytecode_switch_is_offset(const struct bytecode_event *e, uint32_t i)
{
    if (e->kind == OPCODE_TABLE)
        return i == 0 || i > 2;
    return i == 0 || (i > 1 && i % 2 == 1);
}

int64_t bytecode_jump_target(const struct bytecode *c, const struct bytecode_event *e)
{
    const uint8_t *operand = c->code + e->pc + 1;
    return (int64_t)e->pc + (e->kind == OPCODE_GOTO_W ? be_s4(operand) : be_s2(operand));
}

static uint32_t switch_length(const struct bytecode *c, uint32_t pc)
{
    uint32_t at = bytecode_switch_words(pc);
    bool is_table = opcode_kind_of(c->code[pc]) == OPCODE_TABLE;
    if (at + (is_table ? 12 : 8) > c->len)
        return 0;
    int64_t words = 2 + 2 * (int64_t)be_s4(c->code + at + 4);
    if (is_table)
        words = 4 + (int64_t)be_s4(c->code + at + 8) - be_s4(c->code + at + 4);
    if (words < (is_table ? 4 : 2) || words > (c->len - at) / 4)
        return 0;
    return at + 4 * (uint32_t)words - pc;
}

static uint32_t wide_length(const struct bytecode *c, uint32_t pc)
{
    if (pc + 1 >= c->len)
        return 0;
    uint8_t op = c->code[pc + 1];
    if (op == OP_IINC)
        return 6;
    bool is_local =
        (op >= OP_ILOAD && op <= OP_ALOAD) || (op >= OP_ISTORE && op <= OP_ASTORE) || op == OP_RET;
    return is_local ? 4 : 0;
}

uint32_t bytecode_length(const struct bytecode *c, uint32_t pc)
{
    uint32_t len = opcode_length_of(c->code[pc]);
    if (len == 0) {
        enum opcode_kind kind = opcode_kind_of(c->code[pc]);
        if (kind == OPCODE_WIDE)
            len = wide_length(c, pc);
        else if (kind != OPCODE_ILLEGAL)
            len = switch_length(c, pc);
    }
    return len <= c->len - pc ? len : 0;
}

/* Marks the handlers and everything that exception ranges cover. It first counts where ranges begin
 * and end, so many wide ranges take no longer than one. `depth` is zeroed memory for len + 1
 * counts. */
static int mark_handlers(struct bytecode *c, int32_t *depth)
{
    for (uint32_t i = 0; i < c->handler_count; i++) {
        const uint8_t *h = c->handlers + 8 * (size_t)i;
        uint32_t start = be_2(h);
        uint32_t end = be_2(h + 2);
        uint32_t handler = be_2(h + 4);
        if (start >= end || end > c->len || handler >= c->len)
            return E_FORMAT;
        depth[start + 1]++;
        depth[end]--;
        c->marks[handler] |= BYTECODE_HANDLER;
    }
    int32_t now = 0;
    for (uint32_t pc = 0; pc < c->len; pc++) {
        now += depth[pc];
        if (now > 0)
            c->marks[pc] |= BYTECODE_INSIDE;
    }
    return 0;
}

int bytecode_list_events(struct bytecode *c)
{
    uint32_t n = 0;
    for (uint32_t pc = 0; pc < c->len;) {
        uint32_t len = bytecode_length(c, pc);
        if (len == 0)
            return E_FORMAT;
        unsigned kind = opcode_kind_of(c->code[pc]);
        c->marks[pc] |= BYTECODE_BEGIN;
        if (kind == OPCODE_WIDE)
            kind = OPCODE_PLAIN;
        bool is_place = pc == 0 || (c->marks[pc] & (BYTECODE_HANDLER | BYTECODE_FRAME |
                                                    BYTECODE_MAKES | BYTECODE_UNLOCKS));
        if (kind != OPCODE_PLAIN || is_place)
            c->events[n++] = (struct bytecode_event){.pc = pc, .len = len, .kind = (uint8_t)kind};
        pc += len;
    }
    c->event_count = n;
    return 0;
}

static bool is_instruction(const struct bytecode *c, int64_t pc)
{
    return pc >= 0 && pc < c->len && (c->marks[pc] & BYTECODE_BEGIN);
}

static int check_targets(const struct bytecode *c)
{
    for (uint32_t i = 0; i < c->event_count; i++) {
        const struct bytecode_event *e = c->events + i;
        if (e->kind == OPCODE_PLAIN || e->kind == OPCODE_RETURN)
            continue;
        if (e->kind != OPCODE_TABLE && e->kind != OPCODE_LOOKUP) {
            if (!is_instruction(c, bytecode_jump_target(c, e)))
                return E_FORMAT;
            continue;
        }
        uint32_t words = bytecode_switch_words(e->pc);
        uint32_t count = bytecode_switch_count(c, e);
        for (uint32_t w = 0; w < count; w++)
            if (bytecode_switch_is_offset(e, w) &&
                !is_instruction(c, (int64_t)e->pc + be_s4(c->code + words + 4 * (size_t)w)))
                return E_FORMAT;
    }
    for (uint32_t i = 0; i < c->handler_count; i++) {
        const uint8_t *h = c->handlers + 8 * (size_t)i;
        if (!is_instruction(c, be_2(h)) || !is_instruction(c, be_2(h + 4)) ||
            (be_2(h + 2) < c->len && !is_instruction(c, be_2(h + 2))))
            return E_FORMAT;
    }
    return 0;
}

static int make_room(struct bytecode *c, struct bytecode_room *room, struct arena *a)
{
    if (c->len + 1 > room->marks_cap) {
        room->marks_cap = 2 * c->len + 512;
        room->marks = arena_alloc(a, room->marks_cap);
        room->events = arena_alloc(a, room->marks_cap * sizeof(*room->events));
        if (!room->marks || !room->events) {
            room->marks_cap = 0;
            return -ENOMEM;
        }
    }
    c->marks = room->marks;
    c->events = room->events;
    memset(c->marks, 0, c->len + 1);
    return 0;
}

int bytecode_read(struct bytecode *ret, const uint8_t *bytes, size_t len,
                  struct bytecode_room *room, struct arena *a)
{
    struct rd r;
    *ret = (struct bytecode){.attribute = bytes, .attribute_len = len};
    rd_init(&r, bytes, len);
    ret->max_stack = rd_u2(&r);
    ret->max_locals = rd_u2(&r);
    ret->len = rd_u4(&r);
    if (ret->len == 0 || ret->len > BYTECODE_MAX)
        return E_FORMAT;
    ret->code = rd_bytes(&r, ret->len);
    ret->handler_count = rd_u2(&r);
    ret->handlers = rd_bytes(&r, 8 * (size_t)ret->handler_count);
    ret->attributes_at = r.pos;
    if (r.error != 0)
        return E_FORMAT;
    int error = make_room(ret, room, a);
    if (error == 0 && ret->handler_count > 0) {
        int32_t *depth = arena_alloc(a, (ret->len + 2) * sizeof(*depth));
        error = depth ? mark_handlers(ret, depth) : -ENOMEM;
    }
    if (error == 0)
        error = bytecode_list_events(ret);
    return error == 0 ? check_targets(ret) : error;
}
