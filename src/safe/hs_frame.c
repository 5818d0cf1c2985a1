/*
 * hs_frame.c - see hs_frame.h, which also says what is read and why reading it is safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_frame.h"
#include <stdbool.h>
#include "safe/hs_calls.h"
#include "safe/hs_chunks.h"
#include "safe/hs_compiled.h"
#include "safe/hs_method.h"
#include "safe/hs_step.h"
#include "safe/release.h"

enum {
    /* the fixed part of an interpreted frame, and its monitors, above the expression stack */
    INTERP_SPARE_WORDS = 80,
    /* Passing a barrier leads up the stack; one continuation needs one passage. */
    BARRIERS_MAX = 8,
};

static enum hs_step step_native(struct hs_cursor *c, const struct hs_blob *blob)
{
    if (!hs_compiled_add(c, blob, c->pc, true))
        return HS_STEP_FAIL;
    return hs_step_leave_sized(c, blob->frame_size);
}

/* The slot of the bytecode pointer may hold another value. In JDK 8 it holds the bytecode's index
 * while a full collection runs; the collection finds all threads at their anchors (source:
 * frame.cpp, gc_prologue). While a frame moves into its OSR nmethod, the slot holds that nmethod.
 * Returns 1, and *ret_bci for such a value; else 0. */
static __attribute__((noinline)) int read_other_bci(const struct hs_cursor *c, uint64_t fp,
                                                    const struct hs_method *m, int32_t *ret_bci)
{
    const struct hs_layout *l = c->layout;
    struct hs_blob blob;
    uint64_t word = hs_cursor_word(c, fp + (uint64_t)(int64_t)l->interp.bcp * 8);
    if (l->version < RELEASE_BYTECODE_POINTER && c->trust == HS_TRUST_ANCHOR &&
        word < m->code_size) {
        *ret_bci = (int32_t)word;
        return 1;
    }
    if (l->nmethod_entry_bci < 0 || !hs_code_find(c->view, l, word, &blob) || blob.start != word ||
        blob.kind != HS_BLOB_NMETHOD)
        return 0;
    int32_t bci = mem_view_s4(c->view, word + (uint64_t)l->nmethod_entry_bci);
    *ret_bci = bci;
    return bci >= 0 && bci <= 0xffff;
}

/* Whether `sender_sp`, read from the frame at `fp`, can be a caller's stack pointer. x86-64:
 * usually it points just above the return address. It points below if a method handle linker took
 * its last argument off the stack and moved the return address up. aarch64: an interpreted caller
 * keeps its sp below the greatest depth of its expression stack, so the callee's frame may lie
 * above that sp. Such a caller is found by its frame pointer alone; the upper end of the callee's
 * frame then serves as sp. */
static bool fits_sender(const struct hs_cursor *c, uint64_t fp, uint64_t *sender_sp)
{
    if (c->layout->cpu == HS_CPU_AARCH64 && *sender_sp < fp + 16)
        *sender_sp = fp + 16;
    return *sender_sp > fp;
}

/* Whether fp is as near to sp as the expression stack of the method allows. A compiled frame may
 * leave the pointer of an older interpreted frame in the register; then more bytes lie between fp
 * and sp than an interpreted frame holds. */
static __attribute__((noinline)) bool is_near(const struct hs_cursor *c, const struct hs_method *m)
{
    uint64_t most = hs_method_max_stack(c->view, c->layout, m);
    return c->fp - c->sp <= (most + INTERP_SPARE_WORDS) * 8;
}

static inline uint64_t slot_at(uint64_t fp, int8_t words)
{
    return fp + (uint64_t)(int64_t)words * 8;
}

/* See hs_frame_interpreted(). Most frames of interpreted stacks are read here: one check of the
 * stack's limits, then the loads. */
static inline enum hs_step step_interpreted(struct hs_cursor *c, uint64_t bcp, int checks_size)
{
    const struct hs_layout *l = c->layout;
    struct mem_view *v = c->view;
    struct hs_method m;
    uint64_t fp = c->fp;
    int32_t bci = -1;
    if (fp < c->sp || slot_at(fp, l->interp.method) < c->stack.low || fp > c->stack.high - 16 ||
        (fp & 7) != 0)
        return HS_STEP_FAIL;
    uint64_t method = mem_view_u8(v, slot_at(fp, l->interp.method));
    uint64_t sender_sp = hs_step_link(c, mem_view_u8(v, slot_at(fp, l->interp.sender_sp)), fp);
    uint64_t pc = mem_view_u8(v, fp + 8) & c->pc_mask;
    if (!hs_method_read(v, l, method, &m) || (checks_size && !is_near(c, &m)))
        return HS_STEP_FAIL;
    if (bcp != 0)
        bci = hs_method_bci(&m, bcp);
    if (bci < 0)
        bci = hs_method_bci(&m, hs_cursor_word(c, slot_at(fp, l->interp.bcp)));
    if (bci == -1 && !read_other_bci(c, fp, &m, &bci))
        return HS_STEP_FAIL;
    if (!hs_cursor_on_stack(c, sender_sp) || !fits_sender(c, fp, &sender_sp))
        return HS_STEP_FAIL;
    hs_cursor_add_named(c, method, 0, bci, m.is_native ? WALK_KIND_NATIVE : WALK_KIND_INTERPRETED,
                        0);
    c->pc = pc;
    c->fp = hs_step_link(c, mem_view_u8(v, fp), fp);
    c->sp = sender_sp;
    return HS_STEP_MORE;
}

enum hs_step hs_frame_interpreted(struct hs_cursor *c, uint64_t bcp, int checks_size)
{
    return step_interpreted(c, bcp, checks_size);
}

/* Leave a frame in which C code calls Java. HotSpot keeps the anchor of the older Java frames in
 * such a frame. */
static enum hs_step leave_entry(struct hs_cursor *c, uint64_t anchor)
{
    const struct hs_layout *l = c->layout;
    uint64_t old_sp = c->sp;
    uint32_t faults = c->view->faults;
    if (!hs_cursor_on_stack(c, anchor))
        return HS_STEP_FAIL;
    if (mem_view_u8(c->view, anchor + (uint64_t)l->anchor_sp) == 0 && c->view->faults == faults)
        return HS_STEP_END;
    return hs_cursor_at_anchor(c, anchor) && c->sp > old_sp ? HS_STEP_MORE : HS_STEP_FAIL;
}

static __attribute__((noinline)) enum hs_step step_entry(struct hs_cursor *c)
{
    const struct hs_layout *l = c->layout;
    uint64_t wrapper = hs_cursor_word(c, c->fp + (uint64_t)(int64_t)l->entry_wrapper_words * 8);
    if (!hs_cursor_on_stack(c, wrapper) || wrapper < c->fp || c->fp < c->sp)
        return HS_STEP_FAIL;
    return leave_entry(c, wrapper + (uint64_t)l->wrapper_anchor);
}

static enum hs_step step_upcall(struct hs_cursor *c, const struct hs_blob *blob)
{
    const struct hs_layout *l = c->layout;
    if (l->upcall_frame_data < 0 || l->upcall_anchor < 0)
        return HS_STEP_FAIL;
    uint32_t offset = mem_view_u4(c->view, blob->start + (uint64_t)l->upcall_frame_data);
    return leave_entry(c, c->sp + offset + (uint64_t)l->upcall_anchor);
}

/* Pass the return barrier: the callers are still in the heap, and the entry of the continuation
 * follows after them. */
static enum hs_step step_barrier(struct hs_cursor *c)
{
    if (c->frozen.in_chunk || c->frozen.barriers_passed++ >= BARRIERS_MAX)
        return HS_STEP_FAIL;
    if (hs_chunks_begin(c))
        return HS_STEP_MORE;
    return hs_cursor_at_continuation(c) ? HS_STEP_MORE : HS_STEP_FAIL;
}

enum hs_step hs_frame_at_deopt(struct hs_cursor *c)
{
    const struct hs_layout *l = c->layout;
    struct mem_view *v = c->view;
    uint32_t faults = v->faults;
    if (l->thread_vframe_array < 0 || l->frame_fp < 0)
        return HS_STEP_FAIL;
    uint64_t array = mem_view_u8(v, c->thread + (uint64_t)l->thread_vframe_array);
    if (array == 0)
        return HS_STEP_FAIL;
    uint32_t count = mem_view_u4(v, array + (uint64_t)l->vframe_array_frames);
    uint64_t elements = array + (uint64_t)(l->vframe_array_size - l->vframe_size);
    uint64_t caller = array + (uint64_t)l->vframe_array_caller;
    c->pc = mem_view_u8(v, caller + (uint64_t)l->frame_pc) & c->pc_mask;
    c->sp = mem_view_u8(v, caller + (uint64_t)l->frame_unextended_sp);
    c->fp = mem_view_u8(v, caller + (uint64_t)l->frame_fp);
    if (count == 0 || count > HS_STEP_LEVELS_MAX || !hs_cursor_on_stack(c, c->sp))
        return HS_STEP_FAIL;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = elements + (uint64_t)i * (uint64_t)l->vframe_size;
        uint64_t method = mem_view_u8(v, at + (uint64_t)l->vframe_method);
        struct hs_method m;
        if (!hs_method_read(v, l, method, &m))
            return HS_STEP_FAIL;
        hs_cursor_add(c, method, mem_view_s4(v, at + (uint64_t)l->vframe_bci), WALK_KIND_JAVA, 0);
    }
    if (v->faults != faults)
        return HS_STEP_FAIL;
    /* The VM takes the continuation's entry as caller also if a frame returns to the barrier. */
    if (l->cont_return_pc_at == 0 || mem_view_u8(v, l->cont_return_pc_at) != c->pc)
        return HS_STEP_MORE;
    c->frozen.caller_is_unsure = true;
    enum hs_step step = step_barrier(c);
    c->frozen.caller_is_unsure = false;
    return step;
}

/* Step from a return address into a blob of the code cache. */
static __attribute__((noinline)) enum hs_step step_blob(struct hs_cursor *c)
{
    struct hs_blob blob;
    if (!hs_code_find(c->view, c->layout, c->pc, &blob))
        return HS_STEP_FAIL;
    switch (blob.kind) {
    case HS_BLOB_NMETHOD:
        return hs_compiled_step(c, &blob);
    case HS_BLOB_NATIVE:
        return step_native(c, &blob);
    case HS_BLOB_OTHER:
    case HS_BLOB_DEOPT:
        return hs_step_leave_sized(c, blob.frame_size);
    case HS_BLOB_UPCALL:
        return step_upcall(c, &blob);
    case HS_BLOB_STUBS:
        return hs_cursor_is_barrier_in(c, c->pc, &blob) ? step_barrier(c) : HS_STEP_FAIL;
    default:
        return HS_STEP_FAIL;
    }
}

static enum hs_step step_frame(struct hs_cursor *c)
{
    const struct hs_layout *l = c->layout;
    uint64_t old_sp = c->sp;
    uint8_t barriers = c->frozen.barriers_passed;
    enum hs_step step;
    if (c->pc == l->call_stub_return)
        return c->frozen.in_chunk ? HS_STEP_FAIL : step_entry(c);
    if (hs_code_is_interpreter(l, c->pc))
        step = step_interpreted(c, 0, 0);
    else if (!hs_compiled_step_known(c, &step))
        step = step_blob(c);
    /* Every step moves up, so that a walk ends. Only a passed barrier may leave sp unchanged, and
     * barriers are passed a few times at most. */
    if (step == HS_STEP_MORE && c->sp <= old_sp && c->frozen.barriers_passed == barriers)
        return HS_STEP_FAIL;
    return step;
}

enum hs_step hs_frame_step(struct hs_cursor *c)
{
    if (!c->frozen.in_chunk)
        return step_frame(c);
    if (hs_chunks_is_at_end(c))
        return hs_chunks_leave(c);
    return step_frame(c) == HS_STEP_MORE && hs_chunks_may_have(c) ? HS_STEP_MORE : hs_chunks_cut(c);
}

enum hs_step hs_frame_run(struct hs_cursor *c)
{
    if (c->calls && !c->frozen.in_chunk && c->frozen.awaits == HS_AWAITS_NONE &&
        !hs_code_is_interpreter(c->layout, c->pc))
        hs_compiled_run(c);
    return hs_frame_step(c);
}
