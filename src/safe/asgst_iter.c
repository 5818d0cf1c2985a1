/*
 * asgst_iter.c - see asgst_iter.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/asgst_iter.h"
#include "safe/hs_compiled.h"
#include "safe/hs_frame.h"
#include "safe/unwind.h"

/* The greatest number of frames in a row that are not handed out. */
enum { SILENT_STEPS_MAX = 1000 };

static void init(struct asgst_iter *it, const struct hs_memory *memory, bool includes_non_java)
{
    it->includes_non_java = (uint8_t)includes_non_java;
    if (includes_non_java && memory->unwind)
        unwind_is_ready(memory->unwind); /* if not, asks for rows */
}

static struct hs_mixed_of request(struct asgst_iter *it, const struct hs_memory *memory,
                                  uint64_t java_thread, const struct regs *regs, const void *window)
{
    return (struct hs_mixed_of){.memory = memory,
                                .java_thread = java_thread,
                                .regs = regs,
                                .window = window,
                                .frames = it->levels,
                                .max = regs ? ASGST_ITER_LEVELS : 0,
                                .wants_native = it->includes_non_java,
                                .hands_out = true};
}

int asgst_iter_begin(struct asgst_iter *it, const struct hs_memory *memory, uint64_t java_thread,
                     const struct regs *regs, const void *window, bool includes_non_java)
{
    init(it, memory, includes_non_java);
    struct hs_mixed_of of = request(it, memory, java_thread, regs, window);
    int error = hs_mixed_begin(&it->mixed, &of);
    asgst_iter_rewind(it);
    return error;
}

int asgst_iter_begin_at(struct asgst_iter *it, const struct hs_memory *memory, uint64_t java_thread,
                        const struct regs *regs, const void *window, bool includes_non_java)
{
    init(it, memory, includes_non_java);
    struct hs_mixed_of of = request(it, memory, java_thread, regs, window);
    int error = hs_mixed_begin_at(&it->mixed, &of);
    asgst_iter_rewind(it);
    return error;
}

void asgst_iter_without_java(struct asgst_iter *it)
{
    hs_mixed_without_java(&it->mixed);
    asgst_iter_rewind(it);
}

void asgst_iter_begin_native(struct asgst_iter *it, const struct hs_memory *memory,
                             const struct regs *regs, bool may_read)
{
    init(it, memory, 1);
    hs_mixed_begin_native(&it->mixed, memory, regs, may_read);
    asgst_iter_rewind(it);
}

void asgst_iter_rewind(struct asgst_iter *it)
{
    hs_mixed_rewind(&it->mixed);
    it->state = ASGST_ITER_FRAME;
    it->level_next = it->level_stored = it->level_count = 0;
    it->mixed.cursor.frames = it->levels;
    it->mixed.cursor.max = ASGST_ITER_LEVELS;
}

static void load_levels(struct asgst_iter *it, const struct hs_mixed_frame *at)
{
    uint32_t count = it->mixed.cursor.count;
    it->at = *at;
    it->level_base = it->level_next = 0;
    it->level_count = count;
    it->level_stored = count < ASGST_ITER_LEVELS ? count : ASGST_ITER_LEVELS;
}

/* Load levels that did not fit: decode the frame again and skip the levels that were handed out.
 * The count of the cursor starts below zero, where nothing is stored. */
static void load_more_levels(struct asgst_iter *it)
{
    const struct hs_start *start = &it->mixed.start;
    struct hs_cursor again = it->at.is_lead ? it->mixed.cursor : it->again;
    uint32_t skip = it->level_base + it->level_stored;
    again.count = 0u - skip;
    if (it->at.is_lead) {
        struct hs_blob blob;
        if (start->lead == HS_LEAD_CODE &&
            hs_code_find(again.view, again.layout, start->lead_pc, &blob))
            hs_compiled_add(&again, &blob, start->lead_pc, false);
        else if (start->lead == HS_LEAD_DEOPT)
            hs_frame_at_deopt(&again);
    } else {
        hs_frame_step(&again);
    }
    /* If the code was thrown away meanwhile, it may decode to fewer levels. */
    it->level_base = skip;
    it->level_next = 0;
    it->level_stored = again.count <= ASGST_ITER_LEVELS ? again.count
                       : (int32_t)again.count < 0       ? 0
                                                        : ASGST_ITER_LEVELS;
}

static int next_level(struct asgst_iter *it, struct asgst_iter_frame *f)
{
    if (it->level_next >= it->level_stored && it->level_base + it->level_stored < it->level_count) {
        load_more_levels(it);
        if (it->level_stored == 0)
            it->level_count = 0;
    }
    if (it->level_next >= it->level_stored)
        return 0;
    const struct walk_frame *w = &it->levels[it->level_next++];
    f->method = w->method;
    /* Debug data has bci -1 for the entry of a method, where its monitor is taken; the VM has 0. */
    f->bci = w->kind == WALK_KIND_NATIVE ? -1 : w->bci < 0 ? 0 : w->bci;
    f->level = (int8_t)w->level;
    if (w->kind == WALK_KIND_JAVA)
        f->level = w->level != 0 ? (int8_t)w->level : -1;
    f->type = w->kind == WALK_KIND_NATIVE    ? ASGST_ITER_NATIVE
              : w->kind == WALK_KIND_INLINED ? ASGST_ITER_INLINED
                                             : ASGST_ITER_JAVA;
    f->pc = it->at.pc;
    f->sp = it->at.sp;
    f->fp = it->at.fp;
    return 1;
}

static int next(struct asgst_iter *it, struct asgst_iter_frame *f)
{
    for (int i = 0; i < SILENT_STEPS_MAX; i++) {
        struct hs_mixed_frame at;
        if (next_level(it, f))
            return ASGST_ITER_FRAME;
        it->again = it->mixed.cursor;
        it->mixed.cursor.count = 0;
        enum hs_mixed_result result = hs_mixed_next(&it->mixed, &at);
        if (result != HS_MIXED_FRAME)
            return result == HS_MIXED_END ? ASGST_ITER_END : ASGST_ITER_BROKEN;
        if (at.kind == HS_MIXED_JAVA) {
            load_levels(it, &at);
        } else if (it->includes_non_java) {
            *f = (struct asgst_iter_frame){
                .pc = at.pc, .sp = at.sp, .fp = at.fp, .bci = -1, .level = -1};
            f->type = at.kind == HS_MIXED_STUB ? ASGST_ITER_STUB : ASGST_ITER_CPP;
            return ASGST_ITER_FRAME;
        }
    }
    return ASGST_ITER_BROKEN;
}

int asgst_iter_next(struct asgst_iter *it, struct asgst_iter_frame *ret_frame)
{
    if (it->state != ASGST_ITER_FRAME)
        return it->state;
    it->state = (int8_t)next(it, ret_frame);
    return it->state;
}
