/*
 * alloc_calls.c - see alloc_calls.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_calls.h"
#include <stdatomic.h>
#include <stdbool.h>
#include "agent/alloc/alloc_mix.h"
#include "safe/hs_frame.h"

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
        *key = alloc_mix(*key, name_of(from.pc, &f));
        return step;
    }
    for (uint32_t i = from.count; i < c->count && i < c->max; i++)
        *key = alloc_mix(*key,
                         c->frames[i].method + ((uint64_t)(uint32_t)c->frames[i].bci << BCI_SHIFT));
    return step;
}

int alloc_calls_step(struct hs_cursor *c, uint64_t *key)
{
    struct facts f;
    if (!c->calls || !find(c, &f))
        return learn(c, key);
    *key = alloc_mix(*key, name_of(c->pc, &f));
    return pass(c, &f);
}
