/*
 * alloc_stack.c - see alloc_stack.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_stack.h"
#include <stdatomic.h>
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "hotspot/hotspot.h"
#include "hotspot/hotspot_self.h"
#include "safe/hs_cursor.h"
#include "safe/hs_frame.h"
#include "safe/mem_self.h"
#include "vm/vm_threads.h"

/* ---- frames of compiled code that allocations walk through again and again
 *
 * Most steps of walks repeat earlier steps. The return address determines the size of the frame,
 * the number of inlined levels in it, and the compile id of the nmethod; a key needs nothing else.
 * These facts are kept in a table that all threads share. An entry is valid as long as the same
 * nmethod lies at the address. (hs_calls.h is a similar table. It keeps more and trusts less. Here
 * every walk begins at the anchor that the VM itself has set, so the return addresses are certain.)
 */

enum {
    ENTRIES = 4096,
    WORDS_MAX = 1 << 16,
    LEVELS_MAX = 255,
    BCI_SHIFT = 48, /* no address has more than 48 bits */
};

/* One entry of the table. The sequence number is odd while a thread writes the entry. A reader that
 * meets a writer treats the entry as missing. */
struct entry {
    _Alignas(32) _Atomic uint64_t sequence;
    _Atomic uint64_t pc, blob;
    _Atomic uint64_t facts; /* compile id, words of the frame, levels: 32, 16 and 8 bits */
};

struct facts {
    uint32_t id, words, levels;
};

static struct entry entries[ENTRIES];

static struct entry *entry_of(uint64_t pc)
{
    return &entries[(pc * 0x9e3779b97f4a7c15u >> 40) % ENTRIES];
}

static uint64_t get(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

static void set(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

/* The thread's own stack returns to the address c->pc, so the code block around the address is in
 * use. The only open question is whether the block is still the nmethod of the entry. */
static int find(const struct hs_cursor *c, struct facts *ret)
{
    struct entry *e = entry_of(c->pc);
    uint64_t sequence = get(&e->sequence), blob, facts;
    uint32_t faults = c->view->faults;
    if ((sequence & 1) || get(&e->pc) != c->pc)
        return 0;
    blob = get(&e->blob);
    facts = get(&e->facts);
    if (atomic_load_explicit(&e->sequence, memory_order_relaxed) != sequence)
        return 0;
    *ret = (struct facts){(uint32_t)facts, facts >> 32 & (WORDS_MAX - 1), (uint32_t)(facts >> 48)};
    return hs_code_is_block(c->view, c->layout, blob) &&
           mem_view_u4(c->view, blob + (uint64_t)c->layout->nmethod_compile_id) == ret->id &&
           c->view->faults == faults;
}

static void keep(uint64_t pc, uint64_t blob, const struct facts *f)
{
    struct entry *e = entry_of(pc);
    uint64_t sequence = atomic_load_explicit(&e->sequence, memory_order_relaxed);
    if ((sequence & 1) || !atomic_compare_exchange_strong(&e->sequence, &sequence, sequence + 1))
        return;
    set(&e->pc, pc);
    set(&e->blob, blob);
    set(&e->facts, f->id | (uint64_t)f->words << 32 | (uint64_t)f->levels << 48);
    atomic_store_explicit(&e->sequence, sequence + 2, memory_order_release);
}

/* The name of a frame for the key. The VM gives each compile id only once, and the addresses in one
 * nmethod differ in their lower 32 bits. */
static uint64_t name_of(uint64_t pc, const struct facts *f)
{
    return (uint64_t)f->id << 32 | (uint32_t)pc;
}

/* Pass a frame whose size is known. The return address and the caller's frame pointer are the last
 * two words of the frame. */
static enum hs_step pass(struct hs_cursor *c, const struct facts *f)
{
    uint64_t sp = c->sp + (uint64_t)f->words * 8;
    if (!hs_cursor_on_stack(c, sp - 8))
        return HS_STEP_FAIL;
    c->pc = hs_cursor_word(c, sp - 8) & c->pc_mask;
    if (f->words >= 2)
        c->fp = hs_cursor_word(c, sp - 16);
    c->sp = sp;
    c->count += f->levels;
    return HS_STEP_MORE;
}

/* Whether the frame at the cursor may be kept in the table: all frames at this address must be
 * alike. A frame that the VM will replace (deoptimization) does not have its own return address but
 * one that all such frames share, so it is not kept. */
static bool is_kept(const struct hs_cursor *c, const struct hs_blob *b)
{
    bool is_compiled = b->kind == HS_BLOB_NMETHOD || b->kind == HS_BLOB_NATIVE;
    return c->calls && (is_compiled || b->kind == HS_BLOB_OTHER) && b->frame_size > 0 &&
           b->frame_size < WORDS_MAX &&
           !(b->kind == HS_BLOB_NMETHOD && hs_code_is_deopt(c->view, c->layout, b, c->pc));
}

/* Whether the callers of the frame are in the heap (a virtual thread). A key of the frames on the
 * stack alone would also be the key of other stacks. */
static bool is_at_heap(const struct hs_cursor *c)
{
    enum { FIRST = 21 };
    return c->layout->version >= FIRST && hs_cursor_is_barrier(c, c->pc);
}

/* Pass a frame that the table does not know, and keep it if its kind allows. */
static enum hs_step learn(struct hs_cursor *c, uint64_t *key)
{
    const struct hs_cursor from = *c;
    struct hs_blob blob;
    struct facts f;
    enum hs_step step = is_at_heap(c) ? HS_STEP_FAIL : hs_frame_step(c);
    if (step == HS_STEP_MORE && hs_code_find(c->view, c->layout, from.pc, &blob) &&
        is_kept(&from, &blob) && c->sp - from.sp == (uint64_t)(uint32_t)blob.frame_size * 8 &&
        c->count - from.count <= LEVELS_MAX) {
        f = (struct facts){
            mem_view_u4(c->view, blob.start + (uint64_t)c->layout->nmethod_compile_id),
            (uint32_t)blob.frame_size, c->count - from.count};
        keep(from.pc, blob.start, &f);
        *key = alloc_stack_mix(*key, name_of(from.pc, &f));
        return step;
    }
    for (uint32_t i = from.count; i < c->count && i < c->max; i++)
        *key = alloc_stack_mix(*key, c->frames[i].method +
                                         ((uint64_t)(uint32_t)c->frames[i].bci << BCI_SHIFT));
    return step;
}

/*
 * Step from the frame at the cursor to its caller, as hs_frame_step() does. The function mixes the
 * names of the frames that it passes into *key, and adds their number to c->count. Frames that the
 * table already knows are not written to c->frames.
 *
 * Errors: enum hs_step; HS_STEP_FAIL also if the callers of a virtual thread's frame are in the
 * heap.
 */
static int step_to_caller(struct hs_cursor *c, uint64_t *key)
{
    struct facts f;
    if (!c->calls || !find(c, &f))
        return learn(c, key);
    *key = alloc_stack_mix(*key, name_of(c->pc, &f));
    return pass(c, &f);
}

/* ---- the stack of the calling thread */

static struct {
    struct hotspot *vm;     /* NULL: this VM cannot be read */
    intptr_t env_in_thread; /* where the JNIEnv lies in a JavaThread */
} stack;

void alloc_stack_prepare(struct agent *a, JNIEnv *env)
{
    const char *missing = NULL;
    stack.env_in_thread = vm_threads_env_offset();
    if (!stack.env_in_thread)
        return;
    if (hotspot_self_open(&stack.vm, &missing) != 0) {
        stack.vm = NULL;
        log_note("allocations cost more here: stacks have to be asked of the VM (%s)",
                 missing ? missing : "unknown");
        return;
    }
}

const struct hs_layout *alloc_stack_layout(void)
{
    return stack.vm ? &stack.vm->layout : NULL;
}

/* A field of the calling thread's JavaThread, which exists as long as the thread runs. */
static uint64_t field(uint64_t thread, int32_t at)
{
    return *(const volatile uint64_t *)(uintptr_t)(thread + (uint64_t)at);
}

/* Put the cursor at the anchor. Returns 1, or 0 if the walk cannot begin there. */
static int begin(struct hs_cursor *c, const struct hs_layout *l, uint64_t thread)
{
    uint64_t sp = field(thread, l->thread_anchor + l->anchor_sp),
             base = field(thread, l->thread_stack_base);

    /* The VM is about to replace frames of this thread (deoptimization). */
    if (l->thread_vframe_array >= 0 && field(thread, l->thread_vframe_array))
        return 0;
    c->layout = l;
    c->thread = thread;
    c->calls = l->nmethod_compile_id >= 0 ? stack.vm->memory.calls : NULL;
    c->pc_mask = hs_cursor_pc_mask(l);
    c->frozen.facts = &l->chunks;
    c->stack.low = c->view->low = sp & ~(uint64_t)7;
    c->stack.high = c->view->high = base;
    c->stack.size = field(thread, l->thread_stack_size);
    c->view->window = (const void *)(uintptr_t)c->stack.low;
    return sp && sp < base && hs_cursor_at_anchor(c, thread + (uint64_t)l->thread_anchor);
}

uint64_t alloc_stack_key(JNIEnv *env, int depth)
{
    struct walk_frame frames[ALLOC_STACK_MAX];
    struct mem_view view = {.mem = &mem_self};
    struct hs_cursor c = {.view = &view, .frames = frames, .max = (uint32_t)depth};
    uint64_t key = (uint64_t)depth + 1;
    int step = HS_STEP_MORE;
    if (!stack.vm || depth > ALLOC_STACK_MAX ||
        !begin(&c, &stack.vm->layout, (uint64_t)(uintptr_t)env - (uint64_t)stack.env_in_thread))
        return 0;
    while (step == HS_STEP_MORE && c.count < c.max)
        step = step_to_caller(&c, &key);
    return step == HS_STEP_FAIL || c.count == 0 ? 0 : key ? key : 1;
}

void alloc_stack_forget(void)
{
    if (stack.vm)
        hotspot_close(stack.vm);
    stack.vm = NULL;
}
