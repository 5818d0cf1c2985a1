/*
 * stackmap.c - writes a StackMapTable for moved code: see stackmap.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/stackmap.h"
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/be.h"
#include "base/err.h"
#include "classfile/classfile.h"
#include "classfile/codeplan.h"
#include "classfile/cpool.h"
#include "classfile/frames.h"
#include "classfile/outbuf.h"

/* The first byte of a written frame. */
enum {
    SHORT_MAX = 63, /* the largest offset that fits into the first byte */
    PUT_SAME_1 = 64,
    PUT_SAME_1_EXTENDED = 247,
    PUT_SAME_EXTENDED = 251, /* minus the locals chopped, plus the locals appended */
    PUT_FULL = 255,
    APPEND_MAX = 3,
};

struct writer {
    const struct frames_map *map;
    const struct codeplan *plan;
    struct outbuf *o;
    int64_t last; /* position of the last written frame; -1: none */
    /* the last written frame has the locals of the last read frame */
    bool is_relative;
    uint32_t written; /* number of frames */
    int error;
};

/* The Class constant for a type in the method's descriptor. */
static uint16_t parameter_class(struct writer *w, uint32_t at)
{
    struct cpool_utf8 desc = w->map->method->desc;
    const char *begin = desc.bytes + at;
    const char *end = begin;
    while (*end == '[')
        end++;
    if (*end == 'L')
        while (*end != ';')
            end++; /* frames_init() has seen the ';' */
    if (*begin == 'L')
        begin++;
    else
        end++; /* the name of an array class is its descriptor */
    uint16_t index = cpool_add_class(&w->map->file->pool, begin, (size_t)(end - begin));
    if (index == 0)
        w->error = E_LIMIT;
    return index;
}

static void put_type(struct writer *w, struct frames_type *t)
{
    if (t->tag == FRAMES_PARAMETER)
        *t = (struct frames_type){FRAMES_OBJECT, parameter_class(w, t->data)};
    outbuf_u1(w->o, t->tag);
    if (t->tag == FRAMES_OBJECT)
        outbuf_u2(w->o, t->data);
    else if (t->tag == FRAMES_UNINITIALIZED)
        outbuf_u2(w->o, (uint16_t)codeplan_instruction(w->plan, t->data));
}

static uint32_t kept_count(const struct writer *w)
{
    return (uint32_t)strlen(w->map->kept);
}

/* Unused slots between the locals of a frame and the kept values. */
static uint32_t gap_of(const struct writer *w, const struct frames *f)
{
    return w->map->kept[0] ? w->map->code->max_locals - f->local_slots : 0;
}

static void put_kept(struct writer *w, uint32_t gap)
{
    for (; gap > 0; gap--)
        outbuf_u1(w->o, FRAMES_TOP);
    for (const char *kept = w->map->kept; *kept; kept++)
        outbuf_u1(w->o, *kept == 'J' ? FRAMES_LONG : FRAMES_INTEGER);
}

/* Notes a frame at `position`. Returns its offset to the frame before. */
static uint16_t step(struct writer *w, uint32_t position)
{
    int64_t delta = position - w->last - 1;
    w->last = position;
    w->written++;
    return (uint16_t)delta;
}

static void put_full(struct writer *w, struct frames *f, uint32_t position)
{
    uint32_t gap = gap_of(w, f);
    uint32_t locals = f->local_count + gap + kept_count(w);
    if (locals > UINT16_MAX)
        w->error = E_FORMAT;
    outbuf_u1(w->o, PUT_FULL);
    outbuf_u2(w->o, step(w, position));
    outbuf_u2(w->o, (uint16_t)locals);
    for (uint32_t i = 0; i < f->local_count; i++)
        put_type(w, f->locals + i);
    put_kept(w, gap);
    outbuf_u2(w->o, (uint16_t)f->stack_count);
    for (uint32_t i = 0; i < f->stack_count; i++)
        put_type(w, f->stack + i);
}

/* Writes a frame with the locals of the frame before and at most one value on the stack. */
static void put_same(struct writer *w, struct frames *f, uint32_t position)
{
    uint16_t delta = step(w, position);
    bool is_1 = f->stack_count == 1;
    if (delta <= SHORT_MAX)
        outbuf_u1(w->o, (uint8_t)(delta + (is_1 ? PUT_SAME_1 : 0)));
    else
        outbuf_u1(w->o, is_1 ? PUT_SAME_1_EXTENDED : PUT_SAME_EXTENDED);
    if (delta > SHORT_MAX)
        outbuf_u2(w->o, delta);
    if (is_1)
        put_type(w, f->stack);
}

static void put_chop_or_append(struct writer *w, struct frames *f, uint32_t position)
{
    outbuf_u1(w->o, (uint8_t)(PUT_SAME_EXTENDED - f->drop + f->grow));
    outbuf_u2(w->o, step(w, position));
    for (uint32_t i = f->local_count - f->grow; i < f->local_count; i++)
        put_type(w, f->locals + i);
}

/* Writes the first frame. It is relative to the entry of the method, where no value is kept yet. */
static void put_entry(struct writer *w, struct frames *f, uint32_t position)
{
    uint32_t gap = gap_of(w, f);
    uint32_t more = gap + kept_count(w);
    if (f->kind != FRAMES_SAME || more > APPEND_MAX) {
        put_full(w, f, position);
        return;
    }
    outbuf_u1(w->o, (uint8_t)(PUT_SAME_EXTENDED + more));
    outbuf_u2(w->o, step(w, position));
    put_kept(w, gap);
}

/* Writes the current frame in the shortest form that is possible. */
static void put_frame(struct writer *w, struct frames *f, uint32_t position)
{
    if (w->written == 0 && w->map->kept[0])
        put_entry(w, f, position);
    else if (w->is_relative && f->kind != FRAMES_OTHER)
        put_same(w, f, position);
    else if (w->is_relative && (f->drop || f->grow) && !w->map->kept[0])
        put_chop_or_append(w, f, position);
    else
        put_full(w, f, position);
    w->is_relative = true;
}

/* Reads the frame at `pc` again and writes it. Used for the few jumps of islands. */
static void put_frame_of(struct writer *w, uint32_t pc, uint32_t position, struct frames_room *room,
                         struct arena *a)
{
    struct frames f;
    w->error = frames_init(&f, w->map, room, a);
    int more = w->error == 0 ? 1 : 0;
    while (more == 1 && (more = frames_next(&f)) == 1 && f.pc != pc)
        ;
    if (more == 1)
        put_full(w, &f, position);
    else if (w->error == 0)
        w->error = E_FORMAT; /* a jump leads to a place without a frame */
}

/* Writes the frames of the island in front of `pc`: one where the island begins, and one for each
 * jump. */
static void put_island(struct writer *w, uint32_t pc, struct frames_room *room, struct arena *a)
{
    const struct codeplan *p = w->plan;
    if (pc < p->code->len)
        put_frame_of(w, pc, codeplan_end(p, pc), room, a);
    for (uint32_t i = 0; i < p->jump_count && w->error == 0; i++)
        if (p->jumps[i].place == pc)
            put_frame_of(w, p->jumps[i].target, codeplan_jump(p, i), room, a);
    w->is_relative = false;
}

/* Writes the frames of a handler: where its calls begin, and behind each call. */
static void put_frames_of_handler(struct writer *w, struct frames *f)
{
    const struct codeplan *p = w->plan;
    put_frame(w, f, codeplan_start(p, f->pc));
    if (f->stack_count > 1) {
        w->error = E_FORMAT; /* a handler has only the exception on its stack */
        return;
    }
    for (uint32_t i = p->probe_count; i > 0; i--) {
        uint32_t len = p->probes[i - 1].caught.len;
        if (len > 0)
            put_same(w, f, codeplan_caught(p, f->pc, i - 1) + len);
    }
}

/* Writes the locals of unwind: only `this`, which the method never overwrites; or, if unwind uses
 * kept values, only these. */
static void put_locals_of_unwind(struct writer *w)
{
    struct frames_type this = {FRAMES_OBJECT, w->map->file->this_index};
    uint16_t has_this = w->map->method->access & CLASSFILE_STATIC ? 0 : 1;
    uint32_t others = w->map->code->max_locals;
    if (codeplan_unwind_keeps(w->plan)) {
        if (others + kept_count(w) > UINT16_MAX)
            w->error = E_LIMIT;
        outbuf_u2(w->o, (uint16_t)(others + kept_count(w)));
        put_kept(w, others);
        return;
    }
    outbuf_u2(w->o, has_this);
    if (has_this)
        put_type(w, &this);
}

/* Writes the frame of unwind. Its stack is the exception. */
static void put_frame_of_unwind(struct writer *w)
{
    static const char throwable[] = "java/lang/Throwable";
    struct classfile *file = w->map->file;
    struct frames_type thrown = {FRAMES_OBJECT, 0};
    thrown.data = cpool_add_class(&file->pool, throwable, sizeof(throwable) - 1);
    if (thrown.data == 0) {
        w->error = E_LIMIT;
        return;
    }
    outbuf_u1(w->o, PUT_FULL);
    outbuf_u2(w->o, step(w, codeplan_unwind(w->plan)));
    put_locals_of_unwind(w);
    outbuf_u2(w->o, 1);
    put_type(w, &thrown);
}

static void put_frames_at(struct writer *w, struct frames *f)
{
    const struct codeplan *p = w->plan;
    if ((p->code->marks[f->pc] & BYTECODE_HANDLER) && p->caught_len > 0)
        put_frames_of_handler(w, f);
    else
        put_frame(w, f, codeplan_target(p, f->pc));
}

int stackmap_write(const struct frames_map *m, const struct codeplan *plan, struct outbuf *o,
                   struct frames_room *room, struct arena *a)
{
    struct writer w = {.map = m, .plan = plan, .o = o, .last = -1, .is_relative = 1};
    struct frames f;
    /* Islands read the frames again while this loop reads them. */
    struct frames_room island_room = {0};
    size_t count_at = o->len;
    if (m->bytes)
        w.error = frames_init(&f, m, room, a);
    outbuf_u2(o, 0);
    int more = w.error == 0 ? 1 : w.error;
    while (m->bytes && w.error == 0 && (more = frames_next(&f)) == 1) {
        if (plan->code->marks[f.pc] & BYTECODE_ISLAND)
            put_island(&w, f.pc, &island_room, a);
        put_frames_at(&w, &f);
    }
    if (w.error == 0 && more < 0)
        w.error = more;
    if (w.error == 0 && (plan->code->marks[plan->code->len] & BYTECODE_ISLAND))
        put_island(&w, plan->code->len, &island_room, a);
    if (w.error == 0 && plan->unwind_len > 0)
        put_frame_of_unwind(&w);
    if (w.error == 0 && w.written > UINT16_MAX)
        w.error = E_LIMIT;
    outbuf_set_u2(o, count_at, (uint16_t)w.written);
    return w.error;
}

int stackmap_mark(const struct frames_map *m, struct frames_room *room, struct arena *a)
{
    struct frames f;
    int more = frames_init(&f, m, room, a);
    if (more != 0)
        return more;
    while ((more = frames_next(&f)) == 1)
        m->code->marks[f.pc] |= BYTECODE_FRAME;
    return more < 0 ? more : bytecode_list_events(m->code);
}
