/*
 * stopped_stack.c - see stopped_stack.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/stopped_stack.h"
#include "hotspot/java_chunk_facts.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"
#include "safe/hs_chunks.h"
#include "safe/hs_frame.h"
#include "safe/hs_mixed.h"
#include "safe/mem.h"

enum {
    LEVELS_MAX = 600, /* levels of inlining of one physical frame */
    CHUNKS_MAX = 10000,
    CHUNK_WORDS_MAX = 1 << 23,
    PAGE_BYTES = 4096,
};

/* ---- frames in the heap */

struct frozen_walk {
    struct stopped_frame *frames;
    uint32_t count, max;
    struct walk_frame levels[LEVELS_MAX];
};

static void take_frozen_levels(struct frozen_walk *w, const struct hs_cursor *c, uint64_t pc)
{
    for (uint32_t i = 0; i < c->count && i < LEVELS_MAX; i++, w->count++) {
        const struct walk_frame *f = &w->levels[i];
        /* sp and fp stay 0: locks cannot be looked for at a place in the heap. */
        if (w->count < w->max)
            w->frames[w->count] = (struct stopped_frame){
                .method = f->method, .pc = pc, .bci = f->bci, .kind = f->kind, .level = f->level};
    }
}

uint32_t stopped_stack_frozen(struct oops *o, uint64_t continuation, struct stopped_frame *frames,
                              uint32_t max, bool *ret_cut)
{
    const struct hs_layout *l = o->target->layout;
    struct frozen_walk w = {.frames = frames, .max = max};
    struct hs_chunk_facts facts;
    struct mem_view view = {.mem = o->target->mem};
    struct hs_cursor c = {.view = &view, .layout = l, .frozen.facts = &facts, .frames = w.levels};
    uint64_t chunk = oops_get_object(o, continuation, "tail");
    enum hs_step step = HS_STEP_MORE;
    c.max = LEVELS_MAX;
    c.pc_mask = hs_cursor_pc_mask(l);
    c.calls = l->nmethod_compile_id >= 0 ? o->target->vm->memory.calls : NULL;
    *ret_cut = false;
    if (chunk == 0)
        return 0;
    int entered =
        java_chunk_facts_of(o, oops_klass(o, chunk), &facts) ? hs_chunks_enter(&c, 0, chunk) : -1;
    /* Each step moves up in a chunk by at least a word, and the number of chunks is limited. */
    while (entered > 0 && step == HS_STEP_MORE) {
        uint64_t pc = c.pc;
        c.count = 0;
        step = hs_frame_step(&c);
        take_frozen_levels(&w, &c, pc);
    }
    *ret_cut = entered < 0 || c.frozen.place.is_cut;
    if (*ret_cut && w.count > 0 && w.count <= max)
        frames[w.count - 1].is_cut = true;
    return w.count;
}

void stopped_stack_touch(struct oops *o, uint64_t continuation)
{
    struct mem *m = o->target->mem;
    struct hs_chunk_facts facts;
    uint64_t chunk = oops_get_object(o, continuation, "tail");
    for (int i = 0; chunk != 0 && i < CHUNKS_MAX; i++) {
        if (!java_chunk_facts_of(o, oops_klass(o, chunk), &facts))
            return;
        uint64_t words = target_u4(o->target, chunk + (uint64_t)facts.size);
        uint64_t end = chunk + (uint64_t)facts.header + words * 8;
        unsigned char byte;
        if (words > CHUNK_WORDS_MAX)
            return;
        for (uint64_t at = chunk; at < end; at = (at / PAGE_BYTES + 1) * PAGE_BYTES)
            (void)mem_read(m, at, &byte, 1);
        chunk = oops_get_object(o, chunk, "parent");
    }
}

/* ---- frames on a stack */

struct walk {
    const struct stopped_stack_request *request;
    struct hs_mixed mixed;
    struct walk_frame levels[LEVELS_MAX];
    struct stopped_frame *frames;
    uint32_t max, count;
    bool is_broken;
};

static void add(struct walk *w, struct stopped_frame frame)
{
    if (w->count < w->max)
        w->frames[w->count] = frame;
    w->count++;
}

static void take_native(struct walk *w, const struct hs_mixed_frame *at)
{
    struct stopped_frame f = {.sp = at->sp, .kind = WALK_KIND_CPP, .bci = -1};
    f.pc = at->interrupted ? at->pc : at->pc - 1;
    f.is_cut = at->is_cut;
    add(w, f);
}

/* Take the levels of one physical frame. The registers of the running frame may belong to another
 * frame, so only those of the start are used for it. */
static void take_levels(struct walk *w, const struct hs_mixed_frame *at)
{
    const struct hs_start *start = &w->mixed.start;
    struct stopped_frame f = {.pc = at->pc, .sp = at->sp, .fp = at->fp};
    if (at->is_lead) {
        f.pc = start->lead_pc;
        f.sp = 0;
        f.fp = start->lead == HS_LEAD_INTERP ? start->fp : 0;
    }
    for (uint32_t i = 0; i < w->mixed.cursor.count && i < LEVELS_MAX; i++) {
        f.method = w->levels[i].method;
        f.bci = w->levels[i].bci;
        f.kind = w->levels[i].kind;
        f.level = w->levels[i].level;
        add(w, f);
    }
}

/* Take the frames of a mounted virtual thread that are still in the heap. They return to the stack
 * when they are needed. */
static void take_frozen(struct walk *w)
{
    const struct stopped_stack_request *q = w->request;
    uint32_t stored = w->count < w->max ? w->count : w->max;
    bool is_cut;
    if (!q->oops && stored > 0)
        w->frames[stored - 1].is_cut = true;
    if (!q->oops || q->virtual_object == 0)
        return;
    uint64_t continuation = oops_get_object(q->oops, q->virtual_object, "cont");
    w->count +=
        stopped_stack_frozen(q->oops, continuation, w->frames + stored, w->max - stored, &is_cut);
}

/* Take all frames. Each step moves up the stack by at least a word, and a barrier is passed a few
 * times at most. If a walk breaks off, the frames up to that place are kept. */
static void take_all(struct walk *w)
{
    struct hs_cursor *c = &w->mixed.cursor;
    enum hs_mixed_result result = HS_MIXED_FRAME;
    c->frames = w->levels;
    c->max = LEVELS_MAX;
    while (result == HS_MIXED_FRAME) {
        struct hs_mixed_frame at;
        uint8_t barriers = c->frozen.barriers_passed;
        c->count = 0;
        result = hs_mixed_next(&w->mixed, &at);
        if (result == HS_MIXED_END)
            break;
        if (!at.is_lead && c->frozen.barriers_passed != barriers)
            take_frozen(w);
        if (at.kind == HS_MIXED_JAVA)
            take_levels(w, &at);
        else if (at.kind == HS_MIXED_NATIVE)
            take_native(w, &at);
    }
    w->is_broken = result == HS_MIXED_BROKEN;
}

uint32_t stopped_stack_walk(const struct stopped_stack_request *request,
                            struct stopped_frame *frames, uint32_t max, bool *ret_truncated,
                            int *ret_cause)
{
    struct walk w = {.request = request, .frames = frames, .max = max};
    struct hs_mixed_of of = {.memory = request->memory,
                             .java_thread = request->java_thread,
                             .regs = request->regs,
                             .frames = w.levels,
                             .max = LEVELS_MAX,
                             .wants_native = request->wants_native != 0};
    int error = -(1 + WALK_NO_JAVA_FRAME);
    bool has_native = request->regs && request->wants_native;
    if (request->java_thread != 0)
        error =
            request->is_past ? hs_mixed_begin_past(&w.mixed, &of) : hs_mixed_begin(&w.mixed, &of);
    if (error < 0 && has_native)
        hs_mixed_begin_native(&w.mixed, request->memory, request->regs, 1);
    if (error == 0 || has_native)
        take_all(&w);
    *ret_cause = error < 0 ? -1 - error : request->is_past && w.is_broken ? WALK_BROKEN : -1;
    *ret_truncated = w.count > max;
    return w.count > max ? max : w.count;
}
