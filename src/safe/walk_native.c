/*
 * walk_native.c - see walk_native.h.
 *
 * The walk reads what hs_mixed.h reads. Stack use: 1 KB, and what walk_vm_find() uses.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/walk_native.h"
#include "safe/hs_chunks.h"
#include "safe/hs_mixed.h"
#include "safe/hs_names.h"
#include "safe/mem_self.h"
#include "safe/own_class.h"
#include "safe/regs.h"
#include "safe/walk_vm.h"
#include <ucontext.h>

/* More steps than a stack has words that can be frames; the frames in chunks are counted, too. */
enum { STEPS_MAX = 1 << 24 };

static const struct hs_memory *own;
static struct hs_names *own_names;

/* The frames of a walk. The cursor appends Java frames behind the first `base` frames, which came
 * before its own. */
struct list {
    struct walk_frame *frames;
    uint32_t max, base;
};

static void put_native(struct list *list, struct hs_cursor *c, const struct hs_mixed_frame *f)
{
    uint32_t at = list->base + c->count;
    if (at < list->max)
        list->frames[at] = (struct walk_frame){.method = f->interrupted ? f->pc : f->pc - 1,
                                               .bci = -1,
                                               .kind = WALK_KIND_CPP,
                                               .flags = f->is_cut ? WALK_NATIVE_CUT : 0};
    list->base = at + 1;
    c->count = 0;
    c->max = list->base < list->max ? list->max - list->base : 0;
    c->frames = list->frames + (list->max - c->max);
}

/* Take all frames. Returns their number, of which `max` are stored, or HS_MIXED_BROKEN. */
static int64_t take(struct hs_mixed *m, struct walk_frame *frames, uint32_t max)
{
    struct hs_cursor *c = &m->cursor;
    struct list list = {.frames = frames, .max = max};
    enum hs_mixed_result result = HS_MIXED_FRAME;
    c->frames = frames;
    c->max = max;
    c->count = 0;
    for (uint32_t n = 0; result == HS_MIXED_FRAME && n < STEPS_MAX; n++) {
        struct hs_mixed_frame f;
        if (list.base + c->count > max && hs_chunks_may_stop(c))
            break;
        result = hs_mixed_next(m, &f);
        if (result == HS_MIXED_FRAME && f.kind == HS_MIXED_NATIVE)
            put_native(&list, c, &f);
    }
    return result == HS_MIXED_BROKEN ? HS_MIXED_BROKEN : (int64_t)list.base + c->count;
}

static int stored(int64_t count, uint32_t max, bool *ret_truncated)
{
    *ret_truncated = count > max;
    return (int)(count > max ? max : count);
}

/* Whether the innermost Java frames belong to an own class; then the C code above them does so,
 * too. The check of the start has left these frames at the cursor. */
static bool is_own(const struct hs_cursor *c, struct hs_names_visit *names)
{
    for (uint32_t i = 0; i < c->count && i < c->max && i < OWN_CLASS_FRAMES; i++) {
        const struct walk_frame *f = &c->frames[i];
        uint32_t index = (f->flags & HS_FRAME_NAMED) != 0
                             ? (uint32_t)f->method
                             : hs_names_find(names, c->view, f->method);
        if (hs_names_is_own(names->names, index))
            return true;
    }
    return false;
}

int walk_native_thread(const struct hs_memory *memory, struct hs_names_visit *names,
                       uint64_t java_thread, const struct regs *regs, const void *window,
                       struct walk_frame *frames, uint32_t max, bool *ret_truncated)
{
    struct hs_mixed m;
    const struct hs_mixed_of of = {.memory = memory,
                                   .java_thread = java_thread,
                                   .regs = regs,
                                   .window = window,
                                   .names = names,
                                   .frames = frames,
                                   .max = max,
                                   .wants_native = true};
    *ret_truncated = 0;
    int error = hs_mixed_begin(&m, &of);
    if (error < 0 &&
        (-1 - error != WALK_NO_JAVA_FRAME || hs_code_contains(memory->layout, regs->pc)))
        return error;
    if (error < 0)
        hs_mixed_without_java(&m);
    else if (names && is_own(&m.cursor, names))
        hs_mixed_skip_top(&m);
    int64_t count = take(&m, frames, max);
    if (count == HS_MIXED_BROKEN) /* code was freed since the start was checked */
        return -(1 + WALK_BROKEN);
    return error < 0 && count == 0 ? error : stored(count, max, ret_truncated);
}

uint32_t walk_native_alone(const struct hs_memory *memory, const struct regs *regs, bool may_read,
                           struct walk_frame *frames, uint32_t max, bool *ret_truncated)
{
    struct hs_mixed m;
    hs_mixed_begin_native(&m, memory, regs, may_read);
    return (uint32_t)stored(take(&m, frames, max), max, ret_truncated);
}

static int walk(struct walk_request *request, struct walk_frame *frames, uint32_t max,
                bool *ret_truncated)
{
    const ucontext_t *context = request->ucontext;
    struct regs regs;
    *ret_truncated = 0;
    if (!own)
        return -(1 + WALK_NO_THREAD);
    if (request->regs)
        regs = *request->regs;
    else
        regs_of_ucontext(context, &regs);
    if (request->java_thread == 0) {
        bool may_read = request->regs ? request->may_read : mem_self_may_fail(&context->uc_sigmask);
        uint32_t native = walk_native_alone(own, &regs, may_read, frames, max, ret_truncated);
        return native > 0 ? (int)native : -(1 + WALK_NO_THREAD);
    }
    /* All memory above the interrupted stack pointer of the running thread is mapped. */
    const void *window = (const void *)(regs.sp & ~(uint64_t)7);
    struct mem_view view = {.mem = own->mem};
    struct hs_names_visit visit;
    hs_names_enter(own_names, &view, &visit);
    int count = walk_native_thread(own, &visit, request->java_thread, &regs, window, frames, max,
                                   ret_truncated);
    walk_vm_name(&visit, &view, frames, count, request->above > 0);
    request->kept = visit.half;
    return count;
}

void walk_native_prepare(const struct hs_memory *memory, struct hs_names *names)
{
    own = memory;
    own_names = names;
}

const struct walker walk_native = {
    .name = "vm", .names = WALK_NAMES_VM, .walk = walk, .leave = walk_vm_leave};
