/*
 * java_chunks.c - see java_chunks.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_chunks.h"
#include "hotspot/java_chunk_facts.h"
#include "hotspot/stopped_frame.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"
#include "safe/hs_chunks.h"
#include "safe/hs_frame.h"
#include "safe/mem.h"

enum {
    LEVELS_MAX = 600, /* levels of inlining of one frame */
    CHUNKS_MAX = 10000,
    CHUNK_WORDS_MAX = 1 << 23,
    PAGE_BYTES = 4096,
};

struct walk {
    struct stopped_frame *frames;
    uint32_t count, max;
    struct walk_frame levels[LEVELS_MAX];
};

static void take_levels(struct walk *w, const struct hs_cursor *c, uint64_t pc)
{
    for (uint32_t i = 0; i < c->count && i < LEVELS_MAX; i++, w->count++) {
        const struct walk_frame *f = &w->levels[i];
        /* sp and fp stay 0: locks cannot be looked for at a place in the heap. */
        if (w->count < w->max)
            w->frames[w->count] = (struct stopped_frame){
                .method = f->method, .pc = pc, .bci = f->bci, .kind = f->kind, .level = f->level};
    }
}

uint32_t java_chunks_frames(struct oops *o, uint64_t continuation, struct stopped_frame *frames,
                            uint32_t max, bool *ret_cut)
{
    const struct hs_layout *l = o->target->layout;
    struct walk w = {.frames = frames, .max = max};
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
        take_levels(&w, &c, pc);
    }
    *ret_cut = entered < 0 || c.frozen.place.is_cut;
    if (*ret_cut && w.count > 0 && w.count <= max)
        frames[w.count - 1].is_cut = true;
    return w.count;
}

void java_chunks_touch(struct oops *o, uint64_t continuation)
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
