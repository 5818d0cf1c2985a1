/*
 * hs_mixed.c - see hs_mixed.h, which also says what is read and why reading it is safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_mixed.h"
#include "safe/hs_chunks.h"
#include "safe/hs_frame.h"
#include "safe/hs_native.h"
#include "safe/unwind.h"
#include "safe/walk_vm.h"

enum {
    /* native frames in a row, when the Java frame above them must be found */
    NATIVE_MAX = 4096,
    /* frames of a virtual thread in the heap that are walked before the first is handed out */
    FROZEN_FRAMES_MAX = 100000,
    /* A chain of frame pointers ends at a C frame that is larger than this. */
    CHAIN_BYTES_MAX = 1 << 20,
    /* the greatest distance from a stub's stack pointer up to its frame pointer */
    STUB_BYTES_MAX = 512,
};

enum phase {
    PHASE_TOP,    /* the code that runs above the Java frames */
    PHASE_LEAD,   /* the frames with which the start leads */
    PHASE_STEP,   /* the frame at the cursor */
    PHASE_NATIVE, /* native frames; native_then is the next phase */
    PHASE_DONE,
};

static void init(struct hs_mixed *m, const struct hs_memory *memory, const struct regs *regs)
{
    memset(m, 0, sizeof(*m));
    m->view.mem = memory->mem;
    hs_cursor_clear(&m->cursor, &m->view, memory);
    if (regs)
        m->top = (struct cfi_regs){regs->pc, regs->sp, regs->fp, regs->lr};
}

/* Prepare the cursor for the thread. Returns 0, or -(1 + enum walk_cause). */
static int open_thread(struct hs_mixed *m, const struct hs_mixed_of *of)
{
    const struct hs_layout *l = of->memory->layout;
    uint64_t anchor = of->java_thread + (uint64_t)l->thread_anchor;
    init(m, of->memory, of->regs);
    m->has_java = true;
    m->may_read = true;
    m->wants_native = of->wants_native;
    m->hands_out = of->hands_out;
    uint64_t sp = of->regs ? of->regs->sp : mem_view_u8(&m->view, anchor + (uint64_t)l->anchor_sp);
    int error = walk_vm_open(&m->cursor, &m->view, of->memory, of->java_thread, sp, of->window);
    m->cursor.frames = of->frames;
    m->cursor.max = of->max;
    m->cursor.names = of->names;
    return error;
}

int hs_mixed_begin(struct hs_mixed *m, const struct hs_mixed_of *of)
{
    int error = open_thread(m, of);
    if (error == 0)
        error = walk_vm_find(&m->cursor, of->regs, &m->start);
    hs_mixed_rewind(m);
    return error;
}

int hs_mixed_begin_at(struct hs_mixed *m, const struct hs_mixed_of *of)
{
    const struct regs *regs = of->regs;
    struct hs_starts starts;
    if (!hs_code_contains(of->memory->layout, regs->pc))
        return hs_mixed_begin(m, of);
    int error = open_thread(m, of);
    if (error < 0)
        return error;
    starts.count = 0;
    starts.may_cut = starts.is_cut = false;
    if (hs_cursor_is_return(&m->cursor, regs->pc) != HS_RETURN_NO)
        hs_top_add(&starts, hs_top_start(regs->pc, regs->sp, regs->fp, HS_TRUST_SHIFTED));
    hs_top_cpus[m->cursor.layout->cpu]->find(&m->cursor, regs, &starts);
    for (uint32_t i = 0; i < starts.count; i++) {
        if (!walk_vm_try(&m->cursor, &starts.list[i]))
            continue;
        m->start = starts.list[i];
        hs_mixed_rewind(m);
        return 0;
    }
    return -(1 + WALK_NOT_WALKABLE_JAVA);
}

int hs_mixed_begin_past(struct hs_mixed *m, const struct hs_mixed_of *of)
{
    int error = open_thread(m, of);
    struct cfi_regs up = m->top;
    if (error < 0)
        return error;
    if (!hs_native_leave(&m->cursor, &up, true))
        return -(1 + WALK_NO_JAVA_FRAME);
    m->start = (struct hs_start){.pc = up.pc, .sp = up.sp, .fp = up.fp, .trust = HS_TRUST_EXACT};
    hs_mixed_rewind(m);
    return 0;
}

void hs_mixed_without_java(struct hs_mixed *m)
{
    m->has_java = false;
    m->wants_native = true;
    m->start = (struct hs_start){0};
    hs_mixed_rewind(m);
}

void hs_mixed_begin_native(struct hs_mixed *m, const struct hs_memory *memory,
                           const struct regs *regs, bool may_read)
{
    init(m, memory, regs);
    m->may_read = may_read != 0;
    hs_mixed_without_java(m);
}

void hs_mixed_rewind(struct hs_mixed *m)
{
    bool has_top = !m->has_java || (m->wants_native && m->top.sp != 0);
    m->phase = has_top ? PHASE_TOP : PHASE_LEAD;
    m->cursor.trust = HS_TRUST_ANCHOR;
}

void hs_mixed_skip_top(struct hs_mixed *m)
{
    m->phase = PHASE_LEAD;
}

/* ---- native frames */

static void begin_native(struct hs_mixed *m, struct cfi_regs from, bool interrupted, uint64_t until,
                         enum phase then)
{
    m->native = from;
    m->native_interrupted = interrupted;
    m->native_until = until;
    m->native_count = 0;
    m->native_then = (uint8_t)then;
    m->phase = PHASE_NATIVE;
}

/* Go to the caller by the frame pointer, when there is no row. Returns 1, or -1. */
static int step_by_fp(struct hs_mixed *m, struct cfi_regs *r)
{
    uint32_t faults = m->view.faults;
    if (r->fp < r->sp || r->fp - r->sp > CHAIN_BYTES_MAX || (r->fp & 7) != 0)
        return -1;
    uint64_t pc = mem_view_u8(&m->view, r->fp + 8), fp = mem_view_u8(&m->view, r->fp);
    if (m->view.faults != faults)
        return -1;
    *r = (struct cfi_regs){.pc = pc, .sp = r->fp + 16, .fp = fp, .lr = pc};
    return 1;
}

/* Go to the caller of the native frame. Returns 1; 0 if the frame was the thread's first; -1 if no
 * caller can be found. */
static int step_native(struct hs_mixed *m)
{
    struct hs_cursor *c = &m->cursor;
    struct cfi_regs *r = &m->native;
    if (!m->may_read || m->native_count >= NATIVE_MAX)
        return -1;
    int step =
        hs_native_step(c, m->native_interrupted ? r->pc : r->pc - 1, r, &m->native_interrupted);
    if (step < 0 && c->unwind && unwind_knows_code(c->unwind))
        step = step_by_fp(m, r);
    if (step <= 0)
        return step;
    if (hs_code_contains(c->layout, r->pc))
        return m->native_then == PHASE_DONE ? -1 : 1;
    return !c->unwind || unwind_may_be_code(c->unwind, r->pc) ? 1 : -1;
}

/* Hand out the next native frame. Returns 1; or 0 if none is left: the phase is native_then. */
static int next_native(struct hs_mixed *m, struct hs_mixed_frame *f)
{
    const struct cfi_regs r = m->native;
    if (r.pc == 0 || (m->native_until != 0 && r.sp >= m->native_until) ||
        hs_code_contains(m->cursor.layout, r.pc)) {
        m->phase = m->native_then;
        return 0;
    }
    *f = (struct hs_mixed_frame){.pc = r.pc, .sp = r.sp, .fp = r.fp, .kind = HS_MIXED_NATIVE};
    f->interrupted = m->native_interrupted != 0;
    m->native_count++;
    int step = step_native(m);
    f->is_cut = step < 0;
    if (step <= 0)
        m->native.pc = 0;
    return 1;
}

/* Leave a stub that a thread of the VM itself called as a function. This is possible for stubs that
 * push nothing, and for stubs that push the frame pointer first. Returns 1, and `r` has the
 * caller's registers; else 0. */
static int leave_stub(struct hs_mixed *m, struct cfi_regs *r)
{
    const struct hs_cursor *c = &m->cursor;
    if (!m->may_read || !c->unwind)
        return 0;
    if (hs_native_step_leaf(c, r) > 0)
        return 1;
    struct cfi_regs up = {.sp = r->fp + 8};
    if (r->fp - r->sp > STUB_BYTES_MAX || (r->fp & 7) != 0 || hs_native_step_leaf(c, &up) < 0)
        return 0;
    up.fp = mem_view_u8(&m->view, r->fp);
    *r = up;
    return 1;
}

/*
 * Begin with the code that runs above the first Java frame. Its native frames end at the start's
 * stack pointer. They also end at generated code, because compiled code calls some C functions
 * without leaving an anchor. Returns 1 if the code is a stub, which is handed out.
 */
static int begin_top(struct hs_mixed *m, struct hs_mixed_frame *f)
{
    struct cfi_regs r = m->top;
    bool is_in_code = hs_code_contains(m->cursor.layout, r.pc);
    m->phase = m->has_java ? PHASE_LEAD : PHASE_DONE;
    if (!is_in_code) {
        begin_native(m, r, 1, m->start.sp, m->phase);
        return 0;
    }
    if (m->has_java && (m->start.lead != HS_LEAD_NONE || m->start.pc == r.pc))
        return 0;
    *f = (struct hs_mixed_frame){.pc = r.pc, .sp = r.sp, .fp = r.fp, .kind = HS_MIXED_STUB};
    f->interrupted = true;
    if (!m->has_java && leave_stub(m, &r))
        begin_native(m, r, 0, 0, PHASE_DONE);
    return 1;
}

/* Whether the cursor's frame, a stub without a method, is one through which C code calls Java. */
static bool is_entry(struct hs_cursor *c, uint64_t pc)
{
    struct hs_blob blob;
    return pc == c->layout->call_stub_return ||
           (hs_code_find(c->view, c->layout, pc, &blob) && blob.kind == HS_BLOB_UPCALL);
}

/* Begin the native frames above an entry stub. Such a stub keeps the frame pointer and the return
 * address of its caller in the same places as C code does. */
static void begin_above_entry(struct hs_mixed *m, uint64_t fp, enum hs_step step)
{
    const struct hs_cursor *c = &m->cursor;
    struct cfi_regs r = {.sp = fp + 16};
    r.fp = hs_cursor_word(c, fp);
    r.pc = r.lr = hs_cursor_word(c, fp + 8) & c->pc_mask;
    if (r.pc == 0 || (c->unwind && !unwind_may_be_code(c->unwind, r.pc)))
        return;
    begin_native(m, r, 0, step == HS_STEP_END ? 0 : c->sp, m->phase);
}

/* ---- Java frames */

/* Walk a chain of chunks to its end, to see whether it can be walked; if not, cut it. */
static enum hs_step look_ahead(struct hs_cursor *c)
{
    struct hs_cursor ahead = *c;
    enum hs_step step = HS_STEP_MORE;
    ahead.max = 0;
    for (int n = 0; ahead.frozen.in_chunk && step == HS_STEP_MORE && n < FROZEN_FRAMES_MAX; n++)
        step = hs_frame_step(&ahead);
    return ahead.frozen.in_chunk || ahead.frozen.place.is_cut ? hs_chunks_cut(c) : HS_STEP_MORE;
}

static enum hs_mixed_result next_lead(struct hs_mixed *m, struct hs_mixed_frame *f)
{
    enum hs_step step = walk_vm_enter(&m->cursor, &m->start);
    *f = (struct hs_mixed_frame){.kind = HS_MIXED_JAVA, .is_lead = true, .interrupted = true};
    if (m->start.lead != HS_LEAD_DEOPT) {
        f->pc = m->top.pc;
        f->sp = m->top.sp;
        f->fp = m->top.fp;
    }
    m->phase = step == HS_STEP_END ? PHASE_DONE : PHASE_STEP;
    return step == HS_STEP_FAIL ? HS_MIXED_BROKEN : HS_MIXED_FRAME;
}

static enum hs_mixed_result next_java(struct hs_mixed *m, struct hs_mixed_frame *f)
{
    struct hs_cursor *c = &m->cursor;
    uint64_t pc = c->pc, sp = c->sp, fp = c->fp;
    uint32_t before = c->count;
    uint8_t was_in_chunk = c->frozen.in_chunk;
    enum hs_step step = hs_frame_step(c);
    if (m->hands_out && c->frozen.in_chunk && !was_in_chunk)
        step = look_ahead(c);
    if (step == HS_STEP_END)
        m->phase = PHASE_DONE;
    *f = (struct hs_mixed_frame){.pc = pc, .kind = HS_MIXED_JAVA};
    if (!was_in_chunk) { /* a frame in the heap has no registers to go on with */
        f->sp = sp;
        f->fp = fp;
    }
    if (step == HS_STEP_FAIL)
        return HS_MIXED_BROKEN;
    if (was_in_chunk || c->count != before)
        return HS_MIXED_FRAME;
    f->kind = HS_MIXED_STUB;
    if (m->wants_native && is_entry(c, pc))
        begin_above_entry(m, fp, step);
    return HS_MIXED_FRAME;
}

enum hs_mixed_result hs_mixed_next(struct hs_mixed *m, struct hs_mixed_frame *ret_frame)
{
    if (m->phase == PHASE_TOP && begin_top(m, ret_frame))
        return HS_MIXED_FRAME;
    if (m->phase == PHASE_NATIVE && next_native(m, ret_frame))
        return HS_MIXED_FRAME;
    if (m->phase == PHASE_LEAD)
        return next_lead(m, ret_frame);
    return m->phase == PHASE_STEP ? next_java(m, ret_frame) : HS_MIXED_END;
}
