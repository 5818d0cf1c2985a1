/*
 * frames.c - reads a StackMapTable frame by frame: see frames.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/frames.h"
#include <errno.h>
#include "base/arena.h"
#include "base/err.h"
#include "classfile/bytecode.h"
#include "classfile/classfile.h"

/* The first byte of a frame. The values between SAME_1_LAST and SAME_1_EXTENDED are reserved. */
enum {
    SAME_LAST = 63,
    SAME_1_LAST = 127,
    SAME_1_EXTENDED = 247,
    CHOP_FIRST = 248,
    SAME_EXTENDED = 251,
    APPEND_LAST = 254,
};

static uint32_t slots_of(struct frames_type t)
{
    return t.tag == FRAMES_LONG || t.tag == FRAMES_DOUBLE ? 2 : 1;
}

static int push_local(struct frames *f, struct frames_type t)
{
    f->local_slots += slots_of(t);
    if (f->local_slots > f->map->code->max_locals)
        return E_FORMAT;
    f->locals[f->local_count++] = t;
    return 0;
}

static struct frames_type parameter_type(const char *desc, uint32_t at)
{
    switch (desc[at]) {
    case 'J':
        return (struct frames_type){.tag = FRAMES_LONG};
    case 'D':
        return (struct frames_type){.tag = FRAMES_DOUBLE};
    case 'F':
        return (struct frames_type){.tag = FRAMES_FLOAT};
    case 'L':
    case '[':
        return (struct frames_type){FRAMES_PARAMETER, (uint16_t)at};
    default:
        return (struct frames_type){.tag = FRAMES_INTEGER};
    }
}

/* The offset behind the type that begins at `at`; desc.len if the type does not end. */
static uint32_t skip_type(struct cpool_utf8 desc, uint32_t at)
{
    while (at < desc.len && desc.bytes[at] == '[')
        at++;
    if (at < desc.len && desc.bytes[at] == 'L')
        while (at < desc.len && desc.bytes[at] != ';')
            at++;
    return at < desc.len ? at + 1 : desc.len;
}

/* Pushes the locals at the entry: `this` and the parameters. */
static int push_parameters(struct frames *f)
{
    const struct classfile_method *m = f->map->method;
    struct cpool_utf8 desc = m->desc;
    int error = 0;
    if (!(m->access & CLASSFILE_STATIC)) {
        struct frames_type t = {FRAMES_OBJECT, f->map->file->this_index};
        if (cpool_utf8_is(m->name, "<init>") && f->map->file->super.len > 0)
            t = (struct frames_type){.tag = FRAMES_UNINITIALIZED_THIS};
        error = push_local(f, t);
    }
    if (desc.len == 0 || desc.bytes[0] != '(')
        return E_FORMAT;
    uint32_t at = 1;
    while (error == 0 && at < desc.len && desc.bytes[at] != ')') {
        error = push_local(f, parameter_type(desc.bytes, at));
        at = skip_type(desc, at);
    }
    return at < desc.len ? error : E_FORMAT;
}

int frames_init(struct frames *f, const struct frames_map *m, struct frames_room *room,
                struct arena *a)
{
    *f = (struct frames){.map = m, .pc = UINT32_MAX};
    size_t need = (size_t)m->code->max_locals + m->code->max_stack;
    if (need > room->cap || !room->types) {
        room->cap = 2 * need + 64;
        room->types = arena_alloc(a, room->cap * sizeof(*room->types));
        if (!room->types)
            return -ENOMEM;
    }
    f->locals = room->types;
    f->stack = room->types + m->code->max_locals;
    rd_init(&f->rd, m->bytes, m->len);
    f->left = rd_u2(&f->rd);
    return f->rd.error != 0 ? E_FORMAT : push_parameters(f);
}

static struct frames_type read_type(struct frames *f)
{
    struct frames_type t = {.tag = rd_u1(&f->rd)};
    if (t.tag > FRAMES_UNINITIALIZED)
        rd_fail(&f->rd, E_FORMAT);
    if (t.tag == FRAMES_OBJECT || t.tag == FRAMES_UNINITIALIZED)
        t.data = rd_u2(&f->rd);
    if (t.tag == FRAMES_UNINITIALIZED && t.data >= f->map->code->len)
        rd_fail(&f->rd, E_FORMAT);
    return t;
}

static void read_locals(struct frames *f, uint32_t count)
{
    for (; count > 0 && f->rd.error == 0; count--)
        if (push_local(f, read_type(f)) != 0)
            rd_fail(&f->rd, E_FORMAT);
}

static void read_stack(struct frames *f, uint32_t count)
{
    if (count > f->map->code->max_stack)
        rd_fail(&f->rd, E_FORMAT);
    for (; count > 0 && f->rd.error == 0; count--)
        f->stack[f->stack_count++] = read_type(f);
}

static void chop_locals(struct frames *f, uint32_t count)
{
    if (count > f->local_count)
        rd_fail(&f->rd, E_FORMAT);
    for (; count > 0 && f->rd.error == 0; count--)
        f->local_slots -= slots_of(f->locals[--f->local_count]);
}

static void read_full(struct frames *f)
{
    f->kind = FRAMES_OTHER;
    f->local_count = 0;
    f->local_slots = 0;
    read_locals(f, rd_u2(&f->rd));
    read_stack(f, rd_u2(&f->rd));
}

/* Reads the rest of a frame after its first byte. Returns the offset to the frame before. */
static uint32_t read_body(struct frames *f, unsigned first)
{
    uint32_t delta = first <= SAME_1_LAST ? first & SAME_LAST : rd_u2(&f->rd);
    f->kind = FRAMES_SAME;
    f->stack_count = 0;
    f->drop = 0;
    f->grow = 0;
    if (first <= SAME_LAST || first == SAME_EXTENDED)
        return delta;
    if (first <= SAME_1_LAST || first == SAME_1_EXTENDED) {
        f->kind = FRAMES_SAME_1;
        read_stack(f, 1);
    } else if (first < CHOP_FIRST) {
        rd_fail(&f->rd, E_FORMAT);
    } else if (first < SAME_EXTENDED) {
        f->kind = FRAMES_OTHER;
        f->drop = SAME_EXTENDED - first;
        chop_locals(f, f->drop);
    } else if (first <= APPEND_LAST) {
        f->kind = FRAMES_OTHER;
        f->grow = first - SAME_EXTENDED;
        read_locals(f, f->grow);
    } else {
        read_full(f);
    }
    return delta;
}

int frames_next(struct frames *f)
{
    if (f->left == 0)
        return rd_left(&f->rd) == 0 ? 0 : E_FORMAT;
    f->left--;
    uint32_t delta = read_body(f, rd_u1(&f->rd));
    /* the offset of the first frame is its pc itself: UINT32_MAX + 1 is 0 */
    f->pc += delta + 1;
    const struct bytecode *c = f->map->code;
    if (f->rd.error != 0 || f->pc >= c->len || !(c->marks[f->pc] & BYTECODE_BEGIN))
        return E_FORMAT;
    return 1;
}
