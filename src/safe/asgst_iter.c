/*
 * asgst_iter.c - see asgst_iter.h.
 *
 * The start is found as walk_vm.c finds it: a guess counts when a whole walk from it is complete;
 * what the VM or exact debug data says counts at once. Then each step decodes one physical frame
 * into `levels` and hands those out. SPDX-License-Identifier: Apache-2.0
 */
#include "safe/asgst_iter.h"
#include "safe/hs_chunks.h"
#include "safe/hs_compiled.h"
#include "safe/walk_vm.h"

/* The VM's red, yellow and reserved zones take less. */
#define GUARD_BYTES_MAX (512u << 10)
/* Stubs, entries and barriers in a row that hold no frame of a method. */
#define SILENT_STEPS_MAX 1000
#define CHAIN_FRAMES_MAX 512
/* Frames of a virtual thread in the heap that are looked at before the first is handed out. */
#define FROZEN_FRAMES_MAX 100000
/* A C frame larger than this ends the chain. */
#define CHAIN_BYTES_MAX (1u << 20)

static const struct asgst_iter_code *mapped_code;
static uint32_t mapped_count;

void asgst_iter_set_code(const struct asgst_iter_code *code, uint32_t count)
{
    __atomic_store_n(&mapped_count, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&mapped_code, code, __ATOMIC_RELEASE);
    __atomic_store_n(&mapped_count, count, __ATOMIC_RELEASE);
}

static int is_mapped_code(uint64_t pc)
{
    uint32_t count = __atomic_load_n(&mapped_count, __ATOMIC_ACQUIRE);
    const struct asgst_iter_code *code = __atomic_load_n(&mapped_code, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        if (pc - code[i].low < code[i].high - code[i].low)
            return 1;
    }
    return 0;
}

static void clear(struct asgst_iter *it, struct mem *m, enum hs_cpu cpu, const struct regs *regs,
                  int includes_non_java)
{
    memset(it, 0, sizeof *it);
    it->view.mem = m;
    it->cpu = cpu;
    it->includes_non_java = (uint8_t)includes_non_java;
    it->state = ASGST_ITER_FRAME;
    it->has_regs = regs != NULL;
    if (regs != NULL) {
        it->top_pc = regs->pc;
        it->top_sp = regs->sp;
        it->top_fp = regs->fp;
        it->top_lr = regs->lr;
    }
    if (!includes_non_java)
        return;
    it->map = cfi_map_current();
    if (it->map == NULL)
        cfi_map_want();
}

static int init(struct asgst_iter *it, struct mem *m, const struct hs_layout *layout,
                uint64_t java_thread, const struct regs *regs, const void *window,
                int includes_non_java)
{
    clear(it, m, layout->cpu, regs, includes_non_java);
    it->has_java = 1;
    uint64_t sp = regs != NULL
                      ? regs->sp
                      : mem_view_u8(&it->view, java_thread + (uint64_t)layout->thread_anchor +
                                                   (uint64_t)layout->anchor_sp);
    if (it->view.faults != 0)
        return -(1 + WALK_FAULT);
    if (sp == 0)
        return -(1 + WALK_NO_JAVA_FRAME);
    if (!hs_frame_init(&it->cursor, &it->view, layout, java_thread, sp))
        return -(1 + WALK_BROKEN);
    const struct hs_cursor *c = &it->cursor;
    if (window != NULL && sp - (c->stack_high - c->stack_size) > GUARD_BYTES_MAX) {
        it->view.low = c->stack_low;
        it->view.high = c->stack_high;
        it->view.window = window;
    }
    /* A guess by exact debug data is checked over so many frames; the anchor needs no check. */
    it->cursor.frames = it->levels;
    it->cursor.max = regs != NULL ? ASGST_ITER_LEVELS : 0;
    return 0;
}

int asgst_iter_begin(struct asgst_iter *it, struct mem *m, const struct hs_layout *layout,
                     uint64_t java_thread, const struct regs *regs, const void *window,
                     int includes_non_java)
{
    int error = init(it, m, layout, java_thread, regs, window, includes_non_java);
    if (error < 0)
        return error;
    error = walk_vm_find(&it->cursor, regs, &it->start);
    if (error < 0)
        return error;
    asgst_iter_rewind(it);
    return 0;
}

int asgst_iter_begin_at(struct asgst_iter *it, struct mem *m, const struct hs_layout *layout,
                        uint64_t java_thread, const struct regs *regs, const void *window,
                        int includes_non_java)
{
    struct hs_starts starts;
    if (!hs_code_contains(layout, regs->pc))
        return asgst_iter_begin(it, m, layout, java_thread, regs, window, includes_non_java);
    int error = init(it, m, layout, java_thread, regs, window, includes_non_java);
    if (error < 0)
        return error;
    starts.count = 0;
    starts.may_cut = starts.is_cut = 0;
    if (hs_frame_is_return(&it->cursor, regs->pc) != HS_RETURN_NO) {
        struct hs_start s = {
            .pc = regs->pc, .sp = regs->sp, .fp = regs->fp, .trust = HS_TRUST_SHIFTED};
        hs_top_add(&starts, s);
    }
    hs_top_cpus[layout->cpu]->find(&it->cursor, regs, &starts);
    for (uint32_t i = 0; i < starts.count; i++) {
        if (!walk_vm_try(&it->cursor, &starts.list[i]))
            continue;
        it->start = starts.list[i];
        asgst_iter_rewind(it);
        return 0;
    }
    return -(1 + WALK_NOT_WALKABLE_JAVA);
}

void asgst_iter_begin_native(struct asgst_iter *it, struct mem *m, enum hs_cpu cpu,
                             const struct regs *regs)
{
    clear(it, m, cpu, regs, 1);
    asgst_iter_rewind(it);
}

void asgst_iter_rewind(struct asgst_iter *it)
{
    it->phase = it->includes_non_java && it->has_regs ? ASGST_ITER_TOP : ASGST_ITER_LEAD;
    it->state = ASGST_ITER_FRAME;
    it->level_next = it->level_stored = it->level_count = 0;
    it->cursor.frames = it->levels;
    it->cursor.max = ASGST_ITER_LEVELS;
    it->cursor.barrier_passed = 0;
}

/* Begin a chain of C frames that ends at `end` (a stack address), and goes on with `then`. */
static void begin_chain(struct asgst_iter *it, struct cfi_regs from, int is_interrupted,
                        uint64_t end, enum asgst_iter_phase then)
{
    it->chain = from;
    it->chain_interrupted = is_interrupted;
    it->chain_end = end;
    it->chain_count = 0;
    it->chain_then = (uint8_t)then;
    it->phase = ASGST_ITER_CHAIN;
}

/* Without call frame information: by the frame pointer. 1, or -1. */
static int step_by_fp(struct asgst_iter *it, struct cfi_regs *r)
{
    uint32_t faults = it->view.faults;
    if (r->fp < r->sp || r->fp - r->sp > CHAIN_BYTES_MAX || (r->fp & 7) != 0)
        return -1;
    uint64_t pc = mem_view_u8(&it->view, r->fp + 8), fp = mem_view_u8(&it->view, r->fp);
    if (it->view.faults != faults)
        return -1;
    *r = (struct cfi_regs){.pc = pc, .sp = r->fp + 16, .fp = fp, .lr = pc};
    it->chain_interrupted = 0;
    return 1;
}

/* To the caller of a C frame, or to the end of the chain. */
static void step_chain(struct asgst_iter *it)
{
    struct cfi_regs r = it->chain;
    uint64_t at = it->chain_interrupted ? r.pc : r.pc - 1;
    const struct cfi_row *row = it->map != NULL ? cfi_map_find(it->map, at) : NULL;
    int step = -1;
    if (row != NULL && row->cfa != CFI_CFA_UNKNOWN)
        step = cfi_step(&it->view, it->cpu, row, &r, &it->chain_interrupted);
    if (step < 0)
        step = step_by_fp(it, &r);
    if (step <= 0 || !is_mapped_code(r.pc) || (it->chain_end != 0 && r.sp > it->chain_end))
        r.pc = 0;
    it->chain = r;
}

/* Hand out the frame at the chain's head and move on. 0: the chain has ended. */
static int next_in_chain(struct asgst_iter *it, struct asgst_iter_frame *f)
{
    if (it->chain.pc == 0 || it->chain_count++ >= CHAIN_FRAMES_MAX) {
        it->phase = it->chain_then;
        return 0;
    }
    *f = (struct asgst_iter_frame){.pc = it->chain.pc,
                                   .sp = it->chain.sp,
                                   .fp = it->chain.fp,
                                   .bci = -1,
                                   .level = -1,
                                   .type = ASGST_ITER_CPP};
    step_chain(it);
    return 1;
}

/* What lies above the first Java frame: the code that the signal met, if it is none of Java's. */
static void begin_top(struct asgst_iter *it)
{
    const struct hs_layout *l = it->cursor.layout;
    struct cfi_regs top = {it->top_pc, it->top_sp, it->top_fp, it->top_lr};
    it->phase = ASGST_ITER_LEAD;
    if (!it->has_java) {
        begin_chain(it, top, 1, 0, ASGST_ITER_DONE);
    } else if (!hs_code_contains(l, it->top_pc)) {
        begin_chain(it, top, 1, it->start.sp, ASGST_ITER_LEAD);
    } else if (it->start.lead == HS_LEAD_NONE && it->start.pc != it->top_pc) {
        /* a stub of the VM without a method */
        top.fp = 0;
        begin_chain(it, top, 1, it->start.sp, ASGST_ITER_LEAD);
    }
}

/* C frames below an entry frame belong to the code that called into Java. */
static void begin_below_entry(struct asgst_iter *it, uint64_t entry_fp, enum asgst_iter_phase then,
                              uint64_t end)
{
    struct cfi_regs r = {.sp = entry_fp + 16};
    r.pc = r.lr = mem_view_u8(&it->view, entry_fp + 8);
    r.fp = mem_view_u8(&it->view, entry_fp);
    if (is_mapped_code(r.pc))
        begin_chain(it, r, 0, end, then);
    else
        it->phase = (uint8_t)then;
}

static void load_levels(struct asgst_iter *it, uint64_t pc, uint64_t sp, uint64_t fp)
{
    uint32_t count = it->cursor.count;
    it->at_pc = pc;
    it->at_sp = sp;
    it->at_fp = fp;
    it->level_base = it->level_next = 0;
    it->level_count = count;
    it->level_stored = count < ASGST_ITER_LEVELS ? count : ASGST_ITER_LEVELS;
}

/* Stand before the start and decode what it leads with. */
static enum hs_step do_lead(struct asgst_iter *it)
{
    enum hs_step step = walk_vm_enter(&it->cursor, &it->start);
    int is_deopt = it->start.lead == HS_LEAD_DEOPT;
    load_levels(it, is_deopt ? 0 : it->top_pc, is_deopt ? 0 : it->top_sp,
                is_deopt ? 0 : it->top_fp);
    it->again_is_lead = 1;
    return step;
}

static void remember(struct asgst_iter *it)
{
    it->again = it->cursor;
    it->again_is_lead = 0;
}

/* Levels that did not fit: decode the frame again and skip those that were handed out. The count
 * starts below zero, where nothing is stored. */
static void load_more_levels(struct asgst_iter *it)
{
    struct hs_cursor again = it->again_is_lead ? it->cursor : it->again;
    uint32_t skip = it->level_base + it->level_stored;
    again.count = 0u - skip;
    if (it->again_is_lead) {
        struct hs_blob blob;
        if (it->start.lead == HS_LEAD_CODE &&
            hs_code_find(&it->view, again.layout, it->start.lead_pc, &blob))
            hs_compiled_add(&again, &blob, it->start.lead_pc, 0);
        else if (it->start.lead == HS_LEAD_DEOPT)
            hs_frame_at_deopt(&again);
    } else {
        hs_frame_step(&again);
    }
    /* Code that was thrown away meanwhile may decode to less. */
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
    /* Debug data has -1 for the entry of a method, where its monitor is taken; the VM says 0. */
    f->bci = w->kind == WALK_KIND_NATIVE ? -1 : w->bci < 0 ? 0 : w->bci;
    f->level = (int8_t)w->level;
    if (w->kind == WALK_KIND_JAVA)
        f->level = w->level != 0 ? (int8_t)w->level : -1;
    f->type = w->kind == WALK_KIND_NATIVE    ? ASGST_ITER_NATIVE
              : w->kind == WALK_KIND_INLINED ? ASGST_ITER_INLINED
                                             : ASGST_ITER_JAVA;
    f->pc = it->at_pc;
    f->sp = it->at_sp;
    f->fp = it->at_fp;
    return 1;
}

/* What was handed out cannot be taken back, so a chain of chunks is walked to its end first. */
static enum hs_step enter_chunks(struct hs_cursor *c)
{
    struct hs_cursor ahead = *c;
    enum hs_step step = HS_STEP_MORE;
    ahead.max = 0;
    for (int n = 0; ahead.in_chunk && step == HS_STEP_MORE && n < FROZEN_FRAMES_MAX; n++)
        step = hs_frame_step(&ahead);
    return ahead.in_chunk || ahead.place.is_cut ? hs_chunks_cut(c) : HS_STEP_MORE;
}

/* One step of the cursor; a frame without a method is handed out itself if those are wanted. */
static int do_step(struct asgst_iter *it, struct asgst_iter_frame *f, int *ret_has_frame)
{
    struct hs_cursor *c = &it->cursor;
    uint64_t pc = c->pc, sp = c->sp, fp = c->fp;
    remember(it);
    c->count = 0;
    uint8_t was_in_chunk = c->in_chunk;
    enum hs_step step = hs_frame_step(c);
    if (c->in_chunk && !was_in_chunk)
        step = enter_chunks(c);
    *ret_has_frame = 0;
    if (step == HS_STEP_FAIL)
        return ASGST_ITER_BROKEN;
    /* Frames in the heap have no registers that anybody could go on with. */
    load_levels(it, pc, was_in_chunk ? 0 : sp, was_in_chunk ? 0 : fp);
    if (step == HS_STEP_END)
        it->phase = ASGST_ITER_DONE;
    if (it->level_count != 0 || !it->includes_non_java || was_in_chunk)
        return ASGST_ITER_FRAME;
    *f = (struct asgst_iter_frame){
        .pc = pc, .sp = sp, .fp = fp, .bci = -1, .level = -1, .type = ASGST_ITER_STUB};
    *ret_has_frame = 1;
    if (pc == c->layout->call_stub_return)
        begin_below_entry(it, fp, step == HS_STEP_END ? ASGST_ITER_DONE : ASGST_ITER_STEP,
                          step == HS_STEP_END ? c->stack_high : c->sp);
    return ASGST_ITER_FRAME;
}

static int next(struct asgst_iter *it, struct asgst_iter_frame *f)
{
    int result, has_frame;
    for (int i = 0; i < SILENT_STEPS_MAX; i++) {
        if (next_level(it, f))
            return ASGST_ITER_FRAME;
        switch (it->phase) {
        case ASGST_ITER_TOP:
            begin_top(it);
            break;
        case ASGST_ITER_CHAIN:
            if (next_in_chain(it, f))
                return ASGST_ITER_FRAME;
            break;
        case ASGST_ITER_LEAD:
            it->phase = ASGST_ITER_STEP;
            switch (do_lead(it)) {
            case HS_STEP_FAIL:
                return ASGST_ITER_BROKEN;
            case HS_STEP_END:
                it->phase = ASGST_ITER_DONE;
                break;
            default:
                break;
            }
            break;
        case ASGST_ITER_STEP:
            result = do_step(it, f, &has_frame);
            if (result != ASGST_ITER_FRAME || has_frame)
                return result;
            break;
        default:
            return ASGST_ITER_END;
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
