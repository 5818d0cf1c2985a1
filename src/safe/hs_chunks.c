/*
 * hs_chunks.c - see hs_chunks.h, which also says what is read and why reading it is safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_chunks.h"
#include "safe/hs_code.h"
#include "safe/hs_method.h"

enum {
    CHUNKS_MAX = 10000,
    CHUNK_WORDS_MAX = 1 << 27,
    /* return address and frame pointer; they lie below the bottom frame's stack pointer */
    METADATA_BYTES = 16,
    SUPERS_MAX = 8,
    /* offsets in a ContinuationEntry, whose first field is empty on these CPUs */
    ENTRY_PARENT = 8,
    ENTRY_CONTINUATION = 16,
};

static const struct name_row {
    const char *name;
    uint32_t len;
} unmounting[] = {
    {"doYield", 7}, /* method of jdk.internal.vm.Continuation */
    {"wait0", 5},   /* method of java.lang.Object, since JDK 24 */
};

/* Whether the native method whose frame was passed may be about to unmount the thread. */
static bool is_unmounting(const struct hs_cursor *c)
{
    struct hs_method_symbols symbols;
    char name[8];
    if (c->frozen.native_method == 0)
        return false;
    if (c->layout->symbol_body < 0 ||
        !hs_method_symbols(c->view, c->layout, c->frozen.native_method, &symbols))
        return true;
    int len = hs_method_symbol_text(c->view, c->layout, symbols.name, name, sizeof(name));
    for (unsigned i = 0; i < sizeof(unmounting) / sizeof(*unmounting); i++) {
        if (len == (int)unmounting[i].len && memcmp(name, unmounting[i].name, (size_t)len) == 0)
            return true;
    }
    return len < 0;
}

static uint32_t state_of(const struct hs_cursor *c)
{
    const struct hs_layout *l = c->layout;
    return hs_layout_state(l, mem_view_u4(c->view, c->thread + (uint64_t)l->thread_state));
}

/* Since JDK 24 a thread that is in the VM, or leaves the VM, may be about to be unmounted. This is
 * not possible while the thread is being deoptimised. */
static bool may_be_unmounting(const struct hs_cursor *c, uint32_t state)
{
    return c->frozen.facts->unmounts_in_vm && !c->frozen.caller_is_unsure &&
           c->trust == HS_TRUST_ANCHOR && c->frozen.native_method == 0 &&
           state != HS_THREAD_IN_NATIVE;
}

static bool is_call_of_java(const struct hs_cursor *c, uint64_t pc)
{
    const struct hs_layout *l = c->layout;
    struct hs_blob blob;
    return pc - l->interp_low < l->interp_high - l->interp_low ||
           (hs_code_find(c->view, l, pc, &blob) && blob.kind == HS_BLOB_NMETHOD);
}

/*
 * Whether the first chunk holds the caller of the frame at the barrier. The VM writes one word last
 * into a chunk: the address at which the chunk's newest frame goes on. When a thread is being
 * unmounted, this address is in the end the address in the thread's anchor, from which the thread
 * called the VM; it is then never the return address of a call of a Java method.
 */
static bool is_caller(const struct hs_cursor *c, bool is_sure)
{
    const struct hs_layout *l = c->layout;
    int32_t at = c->frozen.facts->pc;
    uint64_t anchor = c->thread + (uint64_t)l->thread_anchor;
    if (at >= 0 &&
        (mem_view_u8(c->view, c->frozen.place.chunk + (uint64_t)at) & c->pc_mask) != c->pc)
        return false;
    if (is_sure)
        return true;
    uint64_t pc = mem_view_u8(c->view, anchor + (uint64_t)l->anchor_pc);
    if (pc == 0) /* the interpreter leaves the return address on the stack */
        pc = mem_view_u8(c->view, mem_view_u8(c->view, anchor + (uint64_t)l->anchor_sp) - 8);
    pc &= c->pc_mask;
    return at >= 0 && pc != 0 && pc != c->pc && is_call_of_java(c, c->pc);
}

/* *ret_count is how many times a safepoint began or ended. Returns true if there is no safepoint at
 * present. Source: safepoint.hpp. */
static int read_safepoints(const struct hs_cursor *c, uint64_t *ret_count)
{
    uint32_t faults = c->view->faults;
    if (c->layout->safepoint_counter_at == 0)
        return 0;
    *ret_count = mem_view_u8(c->view, c->layout->safepoint_counter_at);
    return (*ret_count & 1) == 0 && c->view->faults == faults;
}

static bool is_continuation(const struct hs_cursor *c, uint64_t object)
{
    const struct hs_chunk_facts *f = c->frozen.facts;
    uint64_t klass = hs_refs_klass(c->view, &f->refs, object);
    for (int i = 0; klass != 0 && i < SUPERS_MAX; i++) {
        if (klass == f->continuation_klass)
            return true;
        klass = mem_view_u8(c->view, klass + (uint64_t)f->klass_super);
    }
    return false;
}

/* The continuation in which the mounted virtual thread runs. Each reference on the way to the
 * continuation has a colour. */
static uint64_t find_mounted(const struct hs_cursor *c)
{
    const struct hs_chunk_facts *f = c->frozen.facts;
    uint64_t thread, continuation;
    if (c->layout->thread_vthread < 0 || f->continuation < 0)
        return 0;
    uint64_t handle = mem_view_u8(c->view, c->thread + (uint64_t)c->layout->thread_vthread);
    if (!hs_refs_load(c->view, &f->refs, handle, &thread) || thread == 0 ||
        !hs_refs_load(c->view, &f->refs, thread + (uint64_t)f->continuation, &continuation))
        return 0;
    return continuation;
}

/* The continuation that the innermost entry names. Generational ZGC does not update the references
 * on a stack before the thread runs on. If the thread may be standing, the code asks the mounted
 * thread for its continuation instead; this is right only if there is a single entry. */
static uint64_t find_continuation(const struct hs_cursor *c)
{
    uint64_t object = 0,
             entry = mem_view_u8(c->view, c->thread + (uint64_t)c->layout->thread_cont_entry);
    if (!hs_cursor_on_stack(c, entry) || !hs_cursor_on_stack(c, entry + ENTRY_CONTINUATION))
        return 0;
    if (!c->frozen.place.watches || c->frozen.facts->refs.mover != HS_REFS_Z_TWO) {
        if (!hs_refs_load_stack(c->view, &c->frozen.facts->refs, entry + ENTRY_CONTINUATION,
                                &object))
            return 0;
    } else if (hs_cursor_word(c, entry + ENTRY_PARENT) == 0) {
        object = find_mounted(c);
    }
    return is_continuation(c, object) ? object : 0;
}

/* Mark the frame at the barrier: its callers are missing in the walk. */
static void mark(struct hs_cursor *c)
{
    if (c->count > 0 && c->count <= c->max)
        c->frames[c->count - 1].flags |= HS_FRAME_FROZEN;
    c->frozen.place.is_cut = true;
}

int hs_chunks_begin(struct hs_cursor *c)
{
    const struct hs_chunk_facts *f = c->frozen.facts;
    struct hs_chunk_place *p = &c->frozen.place;
    uint64_t tail = 0;
    uint32_t state = state_of(c);
    *p = (struct hs_chunk_place){.sp = c->sp, .count = c->count};
    p->stack_low = c->stack.low;
    p->stack_high = c->stack.high;
    p->watches = state != HS_THREAD_IN_JAVA && state != HS_THREAD_IN_VM;
    bool is_readable = f->is_known && c->layout->thread_cont_entry >= 0 &&
                       c->layout->cont_return_barrier_at != 0 && c->trust < HS_TRUST_SCANNED &&
                       !is_unmounting(c) && (!p->watches || read_safepoints(c, &p->safepoints));
    uint64_t continuation = is_readable ? find_continuation(c) : 0;
    uint64_t from = continuation + (uint64_t)f->tail;
    bool is_sure = !may_be_unmounting(c, state);
    c->frozen.native_method = 0;
    c->frozen.awaits = f->unmounts_in_vm ? HS_AWAITS_FROZEN : HS_AWAITS_NONE;
    int entered = continuation != 0 && hs_refs_load(c->view, &f->refs, from, &tail)
                      ? hs_chunks_enter(c, from, tail)
                      : -1;
    if (entered > 0 && is_caller(c, is_sure))
        return 1;
    hs_chunks_forget(c);
    if (entered != 0 || !c->frozen.caller_is_unsure)
        mark(c);
    return 0;
}

struct shape {
    uint64_t size_and_sp, bottom, parent;
    int64_t size, sp, end;
};

/* Read the fields of a chunk. False: the object at `chunk` is not a chunk. */
static int read_shape(const struct hs_cursor *c, uint64_t chunk, struct shape *s)
{
    const struct hs_chunk_facts *f = c->frozen.facts;
    struct mem_view *v = c->view;
    uint32_t faults = v->faults;
    if (chunk == 0 || hs_refs_klass(v, &f->refs, chunk) != f->klass)
        return 0;
    s->size = mem_view_s4(v, chunk + (uint64_t)f->size);
    s->sp = mem_view_s4(v, chunk + (uint64_t)f->sp);
    s->end = mem_view_s4(v, chunk + (uint64_t)f->bottom);
    s->size_and_sp = (uint64_t)s->size << 32 | (uint64_t)s->sp;
    s->bottom = (uint64_t)s->end;
    s->parent = chunk + (uint64_t)f->parent;
    s->parent = f->refs.is_compressed ? mem_view_u4(v, s->parent) : mem_view_u8(v, s->parent);
    return v->faults == faults && s->size >= 0 && s->size <= CHUNK_WORDS_MAX && s->sp >= 0 &&
           s->end <= s->size && s->sp <= s->end;
}

static void stand_in(struct hs_cursor *c, uint64_t from, uint64_t chunk, const struct shape *s)
{
    struct hs_chunk_place *p = &c->frozen.place;
    uint64_t start = chunk + (uint64_t)c->frozen.facts->header;
    p->chunk = chunk;
    p->from = from;
    p->shape[0] = s->size_and_sp;
    p->shape[1] = s->bottom;
    p->parent = s->parent;
    p->end = start + (uint64_t)s->end * 8;
    c->frozen.in_chunk = true;
    c->stack.low = start - METADATA_BYTES;
    c->stack.high = start + (uint64_t)s->size * 8 + METADATA_BYTES;
    c->sp = start + (uint64_t)s->sp * 8;
    c->pc = hs_cursor_word(c, c->sp - 8) & c->pc_mask;
    c->fp = c->sp - 16 + hs_cursor_word(c, c->sp - 16) * 8;
}

int hs_chunks_enter(struct hs_cursor *c, uint64_t from, uint64_t chunk)
{
    const struct hs_chunk_facts *f = c->frozen.facts;
    struct shape s;
    while (chunk != 0) {
        if (c->frozen.place.chunks++ >= CHUNKS_MAX || !read_shape(c, chunk, &s))
            return -1;
        if (s.sp < s.end) {
            stand_in(c, from, chunk, &s);
            return 1;
        }
        from = chunk + (uint64_t)f->parent;
        if (!hs_refs_load(c->view, &f->refs, from, &chunk))
            return -1;
    }
    return 0;
}

bool hs_chunks_is_at_end(const struct hs_cursor *c)
{
    return c->sp >= c->frozen.place.end;
}

bool hs_chunks_may_stop(const struct hs_cursor *c)
{
    const struct hs_chunk_place *p = &c->frozen.place;
    struct shape s;
    uint64_t count = 0, chunk = p->chunk;
    if (!c->frozen.in_chunk)
        return true;
    if (p->from != 0 && !hs_refs_load(c->view, &c->frozen.facts->refs, p->from, &chunk))
        return false;
    if (chunk != p->chunk || !read_shape(c, chunk, &s) || s.size_and_sp != p->shape[0] ||
        s.bottom != p->shape[1] || s.parent != p->parent)
        return false;
    return !p->watches || (read_safepoints(c, &count) && count == p->safepoints);
}

/* Whether the cursor's pc is what the last frame of a chunk returns to. The return address is 0 if
 * a collector or the slow way of unmounting laid out the frame, else the same as it was on the
 * stack. */
static bool is_end_pc(const struct hs_cursor *c)
{
    const struct hs_layout *l = c->layout;
    if (c->pc == 0 || l->cont_return_pc_at == 0 ||
        mem_view_u8(c->view, l->cont_return_pc_at) == c->pc)
        return true;
    return hs_cursor_is_barrier(c, c->pc);
}

/* A native frame is frozen only if a thread waits in it, and only as the newest frame. After a
 * thread was unmounted in the VM, its stack still exists for a few instructions. During these
 * instructions the newest frozen frame is the frame with which the walk began. */
bool hs_chunks_may_have(const struct hs_cursor *c)
{
    return c->thread == 0 || (c->frozen.native_method == 0 && !c->frozen.place.repeats);
}

void hs_chunks_forget(struct hs_cursor *c)
{
    if (!c->frozen.in_chunk)
        return;
    c->frozen.in_chunk = false;
    c->sp = c->frozen.place.sp;
    c->stack.low = c->frozen.place.stack_low;
    c->stack.high = c->frozen.place.stack_high;
}

static enum hs_step go_on_at_entry(struct hs_cursor *c)
{
    hs_chunks_forget(c);
    if (c->thread == 0)
        return HS_STEP_END;
    return hs_cursor_at_continuation(c) ? HS_STEP_MORE : HS_STEP_FAIL;
}

enum hs_step hs_chunks_cut(struct hs_cursor *c)
{
    if (c->count > c->frozen.place.count)
        c->count = c->frozen.place.count;
    mark(c);
    return go_on_at_entry(c);
}

enum hs_step hs_chunks_leave(struct hs_cursor *c)
{
    const struct hs_chunk_facts *f = c->frozen.facts;
    uint64_t next = 0, from = c->frozen.place.chunk + (uint64_t)f->parent;
    if (c->sp != c->frozen.place.end || !is_end_pc(c) || !hs_chunks_may_stop(c) ||
        !hs_refs_load(c->view, &f->refs, from, &next))
        return hs_chunks_cut(c);
    switch (hs_chunks_enter(c, from, next)) {
    case 1:
        return HS_STEP_MORE;
    case 0:
        return go_on_at_entry(c);
    default:
        return hs_chunks_cut(c);
    }
}
