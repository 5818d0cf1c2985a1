/*
 * java_chunks.c - see java_chunks.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_chunks.h"
#include "hotspot/mixed_walk.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"
#include "safe/hs_frame.h"

#define CHUNKS_MAX 100000
#define CHUNK_WORDS_MAX (1 << 27)
/* Levels of inlining of one frame. */
#define LEVELS_MAX 600
/* Return address and frame pointer: what lies below the bottom frame's stack pointer. */
#define METADATA_BYTES 16

struct walk {
    struct oops *o;
    struct mixed_frame *frames;
    uint32_t count, max;
    struct walk_frame levels[LEVELS_MAX];
};

static void take_levels(struct walk *w, const struct hs_cursor *c, uint64_t pc)
{
    for (uint32_t i = 0; i < c->count && i < LEVELS_MAX; i++, w->count++) {
        const struct walk_frame *f = &w->levels[i];
        /* sp and fp stay 0: nobody can look for locks at a place in the heap. */
        if (w->count < w->max)
            w->frames[w->count] = (struct mixed_frame){
                .method = f->method, .pc = pc, .bci = f->bci, .kind = f->kind, .level = f->level};
    }
}

/* 1 if all frames of the chunk were followed. */
static int walk_chunk(struct walk *w, uint64_t chunk)
{
    const struct target *t = w->o->target;
    int64_t size = (int32_t)oops_get_number(w->o, chunk, "size", 4);
    int64_t sp = (int32_t)oops_get_number(w->o, chunk, "sp", 4);
    int64_t bottom = (int32_t)oops_get_number(w->o, chunk, "bottom", 4);
    int32_t layout_at = target_field(t, "Klass", "_layout_helper", -1);
    if (layout_at < 0 || size < 0 || size > CHUNK_WORDS_MAX || sp < 0 || bottom > size ||
        sp > bottom)
        return 0;
    if (sp == bottom)
        return 1;
    /* The stack follows the fields: a class's layout helper is the size of these. */
    uint64_t header = target_u4(t, oops_klass(w->o, chunk) + (uint64_t)layout_at) & ~7u;
    uint64_t start = chunk + header, end = start + (uint64_t)bottom * 8;
    struct mem_view view = {.mem = t->mem};
    struct hs_cursor c = {.view = &view, .layout = t->layout, .frames = w->levels, .in_chunk = 1};
    c.max = LEVELS_MAX;
    c.stack_low = start - METADATA_BYTES;
    c.stack_high = start + (uint64_t)size * 8 + METADATA_BYTES;
    c.pc_mask = t->layout->cpu == HS_CPU_AARCH64 ? ((uint64_t)1 << 48) - 1 : UINT64_MAX;
    c.sp = start + (uint64_t)sp * 8;
    c.pc = hs_frame_word(&c, c.sp - 8) & c.pc_mask;
    c.fp = c.sp - 16 + hs_frame_word(&c, c.sp - 16) * 8;
    /* Each step moves up by a word at least. */
    while (c.sp < end - METADATA_BYTES) {
        uint64_t pc = c.pc;
        c.count = 0;
        if (hs_frame_step(&c) == HS_STEP_FAIL)
            return 0;
        take_levels(w, &c, pc);
    }
    return 1;
}

uint32_t java_chunks_frames(struct oops *o, uint64_t continuation, struct mixed_frame *frames,
                            uint32_t max, int *ret_cut)
{
    struct walk w = {.o = o, .frames = frames, .max = max};
    uint64_t chunk = oops_get_object(o, continuation, "tail");
    *ret_cut = 0;
    for (int i = 0; chunk != 0 && *ret_cut == 0; i++) {
        if (i == CHUNKS_MAX || !walk_chunk(&w, chunk))
            *ret_cut = 1;
        chunk = oops_get_object(o, chunk, "parent");
    }
    if (*ret_cut && w.count > 0 && w.count <= max)
        frames[w.count - 1].is_cut = 1;
    return w.count;
}
