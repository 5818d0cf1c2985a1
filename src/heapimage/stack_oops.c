/*
 * stack_oops.c - see stack_oops.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapimage/stack_oops.h"
#include <string.h>
#include "heapwalk/heap.h"
#include "hotspot/java_threads.h"
#include "hotspot/target.h"
#include "safe/hs_mixed.h"

enum {
    LEVELS_MAX = 600,
    CONSTANTS_MAX = 1 << 16, /* bytes of the references in one nmethod */
    LOCKS_MAX = 4096,        /* monitors of one interpreted frame */
    FP_NUMBER = 10,          /* rbp's first half, as the VM numbers registers */
    NATIVE_WORDS = 5,        /* an interpreted native frame has its last words above fp */
    /* JavaCallWrapper: its fields before the anchor are the thread, the handles, the called method
     * and the receiver */
    WRAPPER_HANDLES = 8,
    WRAPPER_ANCHOR = 32,
    LOCALS_WORDS = 100000, /* below: the locals' distance from fp in words, not their address */
};

void stack_oops_init(struct stack_oops *s, const struct heap *h, const struct target *t,
                     const struct hs_memory *memory)
{
    memset(s, 0, sizeof(*s));
    s->heap = h;
    s->target = t;
    s->memory = memory;
    oop_maps_init(&s->maps, t);
    interp_mask_init(&s->masks, t);
    s->must_gc_at = target_field(t, "CodeBlob", "_caller_must_gc_arguments", -1);
    if (s->must_gc_at < 0)
        s->must_gc_at = target_field(t, "RuntimeStub", "_caller_must_gc_arguments", -1);
    s->lock_object_at = target_field(t, "BasicObjectLock", "_obj", -1);
    s->lock_bytes = target_size(t, "BasicObjectLock");
    s->oops_at = target_field(t, "nmethod", "_oops_offset", -1);
    s->oops_end_at = target_field(t, "nmethod", "_metadata_offset", -1);
    s->data_at = s->oops_at >= 0 ? -1 : target_field(t, "CodeBlob", "_data_offset", -1);
    s->is_known = t->layout->cpu == HS_CPU_X86_64 &&
                  (s->data_at >= 0 || (s->oops_at >= 0 && s->oops_end_at >= 0));
}

void stack_oops_done(struct stack_oops *s)
{
    interp_mask_done(&s->masks);
}

/* ---- one frame */

/* What called frames have done with the arguments of a frame. */
enum callee {
    CALLEE_UNSURE, /* nobody may list them */
    CALLEE_VM,     /* there are none, or they are on the expression stack still */
    CALLEE_JAVA,   /* they are the callee's, which lists them */
};

struct walk {
    struct stack_oops *s;
    const struct stack_oops_user *user;
    struct hs_mixed mixed;
    struct walk_frame levels[LEVELS_MAX];
    uint64_t low, high; /* what has not been handed out */
    enum callee callee;
    uint64_t last_blob; /* whose constants were handed out last */
    bool is_first;      /* the VM's anchor says where the frame is, not what the registers hold */
    uint32_t count;     /* references of the frame, in s->words */
};

/* Adds a word that should be null or a reference. Returns false if it is neither. */
static bool add_word(struct walk *w, uint64_t word)
{
    const struct heap *h = w->s->heap;
    if (word == 0 || word == h->oops.refs.base) /* null, and null that was decoded */
        return true;
    bool is_coloured = word >> 48 != 0;
    if (!heap_may_lead(h, word) || (!is_coloured && (word & (h->align - 1)) != 0))
        return false;
    if (w->count == OOP_MAPS_VALUES)
        return false;
    w->s->words[w->count++] = word;
    return true;
}

static bool add_slot(struct walk *w, uint64_t at, bool is_narrow)
{
    const struct target *t = w->s->target;
    uint64_t word = 0;
    if (at < w->low || at >= w->high || (at & (is_narrow ? 3 : 7)) != 0 ||
        mem_read(t->mem, at, &word, is_narrow ? 4 : 8) < 0)
        return false;
    if (is_narrow && word != 0)
        word = w->s->heap->oops.refs.base + (word << w->s->heap->oops.refs.shift);
    return add_word(w, word);
}

/* Adds what a register holds. Only rbp is known: the called frame has saved it. */
static bool add_register(struct walk *w, const struct hs_mixed_frame *at,
                         const struct oop_maps_value *value)
{
    const struct hs_refs *r = &w->s->heap->oops.refs;
    if (w->is_first)
        return false;
    if (value->number != FP_NUMBER || w->callee == CALLEE_UNSURE)
        return w->callee != CALLEE_JAVA; /* no Java code saves another register */
    uint64_t word = value->is_narrow ? at->fp & UINT32_MAX : at->fp;
    if (value->is_narrow && word != 0)
        word = r->base + (word << r->shift);
    return add_word(w, word);
}

/* Reads the references of a compiled frame. */
static bool read_compiled(struct walk *w, const struct hs_mixed_frame *at,
                          const struct hs_blob *blob)
{
    struct stack_oops *s = w->s;
    const struct hs_layout *l = s->target->layout;
    struct mem_view *v = w->mixed.cursor.view;
    uint64_t pc = at->pc;
    if (blob->kind == HS_BLOB_NMETHOD && hs_code_is_deopt(v, l, blob, pc))
        pc = target_u8(s->target, at->sp + (uint64_t)(uint32_t)hs_code_orig_pc(v, l, blob));
    int32_t count = oop_maps_find(&s->maps, blob, pc, s->values);
    for (int32_t i = 0; i < count; i++) {
        const struct oop_maps_value *value = &s->values[i];
        uint64_t slot = at->sp + (uint64_t)value->number * 4;
        if (value->is_register ? !add_register(w, at, value) : !add_slot(w, slot, value->is_narrow))
            return false;
    }
    return count >= 0;
}

/* Hands out the constants of compiled code. Returns false if they make no sense. */
static bool take_constants(struct walk *w, const struct hs_blob *blob)
{
    const struct stack_oops *s = w->s;
    const struct target *t = s->target;
    int32_t at = s->oops_at >= 0 ? s->oops_at : s->data_at;
    uint64_t low = blob->start + target_u4(t, blob->start + (uint64_t)at), high = blob->end;
    if (blob->start == w->last_blob)
        return true;
    if (s->oops_at >= 0)
        high = blob->start + target_u4(t, blob->start + (uint64_t)s->oops_end_at);
    if (low < blob->start || high < low || high > blob->end || high - low > CONSTANTS_MAX)
        return false;
    w->last_blob = blob->start;
    if (low < high)
        w->user->words(w->user->arg, low, high);
    return true;
}

static uint64_t slot_of(uint64_t fp, int32_t words)
{
    return fp + (uint64_t)((int64_t)words * 8);
}

/* The end of the monitors of an interpreted frame, below which the expression stack begins; as an
 * address, or since JDK 21 as a number of words from fp. 0: it makes no sense. */
static uint64_t locks_end(const struct walk *w, uint64_t fp, uint64_t begin)
{
    const struct stack_oops *s = w->s;
    uint64_t end = target_u8(s->target, begin);
    if ((int64_t)end < 0 && (int64_t)end > -LOCALS_WORDS)
        end = slot_of(fp, (int32_t)end);
    return end > begin || end < w->low || (end & 7) != 0 ||
                   begin - end > (uint64_t)s->lock_bytes * LOCKS_MAX
               ? 0
               : end;
}

/* Reads the references of an interpreted frame. *ret_fixed is the lowest of its fixed words, some
 * of which are references of the VM's own. */
static bool read_interpreted(struct walk *w, const struct hs_mixed_frame *at, uint64_t *ret_fixed)
{
    struct stack_oops *s = w->s;
    const struct hs_layout *l = s->target->layout;
    const struct walk_frame *level = &w->levels[0];
    const uint8_t *mask;
    struct interp_mask_shape shape;
    uint64_t fixed = slot_of(at->fp, l->interp.bcp - 1), end;
    uint64_t locals = target_u8(s->target, slot_of(at->fp, l->interp.locals));
    if (w->mixed.cursor.count != 1 || s->lock_object_at < 0 || s->lock_bytes <= 0)
        return false;
    mask =
        interp_mask_find(&s->masks, level->method, level->kind == WALK_KIND_NATIVE ? 0 : level->bci,
                         w->callee == CALLEE_JAVA, &shape);
    end = locks_end(w, at->fp, fixed);
    if (!mask || end == 0)
        return false;
    if (locals < LOCALS_WORDS)
        locals = slot_of(at->fp, (int32_t)locals);
    for (uint32_t i = 0; i < shape.locals; i++) {
        if (mask[i] &&
            (locals - (uint64_t)i * 8 < at->fp || !add_slot(w, locals - (uint64_t)i * 8, false)))
            return false;
    }
    for (uint32_t i = 0; i < shape.stack; i++) {
        uint64_t slot = end - 8 - (uint64_t)i * 8;
        if (slot < at->sp) /* an exception has emptied the stack */
            break;
        if (mask[shape.locals + i] && !add_slot(w, slot, false))
            return false;
    }
    for (uint64_t lock = end; lock + (uint64_t)s->lock_bytes <= fixed;
         lock += (uint64_t)s->lock_bytes) {
        if (!add_slot(w, lock + (uint64_t)s->lock_object_at, false))
            return false;
    }
    *ret_fixed = fixed;
    return true;
}

/* ---- all frames */

static void hand_out_words(struct walk *w, uint64_t to)
{
    if (to > w->low)
        w->user->words(w->user->arg, w->low, to);
    w->low = to > w->low ? to : w->low;
}

static void hand_out_references(struct walk *w, uint64_t sp)
{
    for (uint32_t i = 0; i < w->count; i++)
        w->user->reference(w->user->arg, sp, w->s->words[i]);
}

static enum callee after_stub(struct walk *w, const struct hs_blob *blob)
{
    uint8_t must = 1;
    if (w->s->must_gc_at >= 0)
        (void)mem_read(w->s->target->mem, blob->start + (uint64_t)w->s->must_gc_at, &must, 1);
    return must == 0 ? CALLEE_VM : CALLEE_UNSURE;
}

/* Takes an exact frame in [at->sp, end). */
static void take_exact(struct walk *w, const struct hs_mixed_frame *at, uint64_t end,
                       bool is_interpreted, uint64_t fixed)
{
    struct stack_oops_counts *n = &w->s->counts;
    hand_out_references(w, at->sp);
    if (w->callee == CALLEE_UNSURE) { /* its words are handed out with what follows */
        n->unsure++;
    } else {
        hand_out_words(w, at->sp);
        w->low = end;
        n->compiled += !is_interpreted;
        n->interpreted += is_interpreted;
        if (is_interpreted) {
            uint64_t top =
                slot_of(at->fp, w->levels[0].kind == WALK_KIND_NATIVE ? NATIVE_WORDS : 0);
            w->user->words(w->user->arg, fixed, top < end ? top : end);
        }
    }
    w->callee = CALLEE_JAVA;
}

/* Hands out the handles of the C code that called Java through the call stub with frame pointer
 * `fp`. */
static void hand_out_handles(const struct walk *w, uint64_t fp)
{
    const struct target *t = w->s->target;
    const struct hs_layout *l = t->layout;
    uint64_t wrapper = target_u8(t, slot_of(fp, l->entry_wrapper_words));
    if (l->wrapper_anchor != WRAPPER_ANCHOR || wrapper < fp || wrapper >= w->high ||
        (wrapper & 7) != 0)
        return;
    uint64_t block = target_u8(t, wrapper + WRAPPER_HANDLES);
    if (block != 0)
        w->user->handles(w->user->arg, block);
}

/* Takes the frame that the cursor has just left, on the thread's own stack. */
static void take_frame(struct walk *w, const struct hs_mixed_frame *at)
{
    struct stack_oops *s = w->s;
    struct hs_cursor *c = &w->mixed.cursor;
    uint64_t end = c->sp, fixed = 0;
    struct hs_blob blob;
    bool is_interpreted = hs_code_is_interpreter(s->target->layout, at->pc);
    if (at->pc == s->target->layout->call_stub_return)
        hand_out_handles(w, at->fp);
    if (at->sp < w->low || end <= at->sp || end > w->high) {
        w->callee = CALLEE_UNSURE;
        return;
    }
    w->count = 0;
    if (is_interpreted) {
        if (at->fp >= at->sp && at->fp < end && read_interpreted(w, at, &fixed)) {
            take_exact(w, at, end, true, fixed);
            return;
        }
    } else if (at->pc != s->target->layout->call_stub_return &&
               hs_code_find(c->view, s->target->layout, at->pc, &blob)) {
        bool is_java = blob.kind == HS_BLOB_NMETHOD || blob.kind == HS_BLOB_NATIVE;
        if (is_java && read_compiled(w, at, &blob) && take_constants(w, &blob)) {
            take_exact(w, at, end, false, 0);
            return;
        }
        if (!is_java) {
            w->callee = after_stub(w, &blob);
            return;
        }
    } else if (at->pc == s->target->layout->call_stub_return) {
        w->callee = CALLEE_VM; /* the next frame is the one at the older anchor */
        return;
    }
    s->counts.unsure++;
    w->callee = CALLEE_UNSURE;
}

/* Walks the Java frames. Returns false if there are none. */
static bool walk_frames(struct walk *w, const struct java_thread *thread, const struct regs *regs)
{
    struct hs_cursor *c = &w->mixed.cursor;
    struct hs_mixed_of of = {.memory = w->s->memory,
                             .java_thread = thread->addr,
                             .regs = regs,
                             .frames = w->levels,
                             .max = LEVELS_MAX};
    enum hs_mixed_result result = HS_MIXED_FRAME;
    if (hs_mixed_begin(&w->mixed, &of) < 0)
        return false;
    while (result == HS_MIXED_FRAME) {
        struct hs_mixed_frame at;
        c->count = 0;
        result = hs_mixed_next(&w->mixed, &at);
        if (result != HS_MIXED_FRAME)
            break;
        if (at.is_lead) {
            bool is_interrupted = w->mixed.start.lead != HS_LEAD_NONE;
            w->s->counts.unsure += is_interrupted;
            w->callee = is_interrupted || w->mixed.start.trust != HS_TRUST_ANCHOR ? CALLEE_UNSURE
                                                                                  : CALLEE_VM;
            w->is_first = true;
        } else if (at.sp != 0) {
            take_frame(w, &at);
            w->is_first = at.pc == w->s->target->layout->call_stub_return;
        }
    }
    return true;
}

/* Whether the thread runs C code that holds references by handles alone. */
static bool is_in_native(const struct stack_oops *s, const struct java_thread *thread,
                         const struct regs *regs)
{
    return s->is_known && thread->state == HS_THREAD_IN_NATIVE &&
           (!regs || !hs_code_contains(s->target->layout, regs->pc));
}

void stack_oops_walk(struct stack_oops *s, const struct java_thread *thread,
                     const struct regs *regs, uint64_t sp, const struct stack_oops_user *user)
{
    struct walk w = {.s = s, .user = user, .low = sp, .high = thread->stack_high};
    if (!is_in_native(s, thread, regs)) {
        if (regs)
            user->registers(user->arg, regs);
    } else {
        w.low = thread->last_sp >= sp && thread->last_sp < w.high ? thread->last_sp : w.high;
    }
    if (s->is_known)
        (void)walk_frames(&w, thread, regs);
    hand_out_words(&w, w.high);
}
