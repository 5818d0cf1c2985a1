/*
 * hs_calls.c - see hs_calls.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_calls.h"
#include <stdatomic.h>

_Static_assert(HS_CALLS_LEVELS % 2 == 0, "levels come in twos");
_Static_assert(HS_CALLS_LEVELS_AT + HS_CALLS_LEVELS / 2 * 3 <= HS_CALLS_NEAR + HS_CALLS_FAR,
               "a call has room");

static struct hs_calls_entry *top(struct hs_calls *calls, uint64_t pc)
{
    return &calls->entries[HS_CALLS_RETURNS + hs_calls_hash(pc) % HS_CALLS_TOPS];
}

static int find(struct hs_calls *calls, struct hs_calls_entry *entry, struct mem_view *v,
                const struct hs_layout *l, uint64_t pc, struct hs_call *ret_call)
{
    struct hs_calls_look look;
    if (!hs_calls_look(calls, entry, pc, &look))
        return 0;
    ret_call->pc = pc;
    ret_call->blob = look.blob;
    ret_call->compile_id = look.compile_id;
    ret_call->frame_size = look.frame_size;
    ret_call->count = look.count;
    ret_call->level = look.level;
    ret_call->exact = look.exact;
    ret_call->generation = look.generation;
    for (int i = 0; i < look.count; i++) {
        struct hs_calls_level level = hs_calls_level(&look, i);
        ret_call->method[i] = level.method;
        ret_call->bci[i] = level.bci;
        ret_call->name[i] = level.name;
    }
    return hs_calls_holds(v, l, &look);
}

int hs_calls_find(struct hs_calls *calls, struct mem_view *v, const struct hs_layout *l,
                  uint64_t pc, struct hs_call *ret_call)
{
    return find(calls, hs_calls_return(calls, pc), v, l, pc, ret_call);
}

bool hs_calls_has(struct hs_calls *calls, struct mem_view *v, const struct hs_layout *l,
                  uint64_t pc)
{
    struct hs_calls_look look;
    return hs_calls_look(calls, hs_calls_return(calls, pc), pc, &look) &&
           hs_calls_holds(v, l, &look);
}

int hs_calls_find_top(struct hs_calls *calls, struct mem_view *v, const struct hs_layout *l,
                      uint64_t pc, struct hs_call *ret_call)
{
    return find(calls, top(calls, pc), v, l, pc, ret_call);
}

static void set(struct hs_calls *calls, struct hs_calls_entry *entry, int i, uint64_t value)
{
    atomic_store_explicit(hs_calls_word_at(calls, entry, i), value, memory_order_relaxed);
}

/* An address has at most 48 bits; bcis are -1 to 65534. */
static uint64_t pack(const struct hs_call *call, int i)
{
    return call->method[i] | (uint64_t)(uint16_t)(call->bci[i] + 1) << HS_CALLS_BCI_SHIFT;
}

static void add(struct hs_calls *calls, struct hs_calls_entry *entry, struct mem_view *v,
                const struct hs_layout *l, const struct hs_call *call)
{
    _Atomic uint64_t *first = hs_calls_word_at(calls, entry, 0);
    uint64_t sequence = atomic_load_explicit(first, memory_order_relaxed);
    const struct hs_heap *heap = hs_code_heap(l, call->blob);
    uint32_t faults = v->faults;
    uint32_t id = mem_view_u4(v, call->blob + (uint64_t)l->nmethod_compile_id);
    if (!heap || call->count - 1u >= HS_CALLS_LEVELS || v->faults != faults ||
        (sequence & 1) != 0 || !atomic_compare_exchange_strong(first, &sequence, sequence + 1))
        return;
    /* A reader that sees one of the words below must see the odd sequence, too, when it reads the
     * sequence again. The exchange alone does not say so: on aarch64 later stores may become
     * visible before its own. */
    atomic_thread_fence(memory_order_release);
    set(calls, entry, 1, call->pc);
    set(calls, entry, 2, call->blob);
    set(calls, entry, 3, id | (uint64_t)(uint32_t)call->frame_size << 32);
    set(calls, entry, 4,
        call->count | (uint64_t)call->level << 8 | (uint64_t)call->exact << 16 |
            (uint64_t)(heap - l->heaps) << 24 | (uint64_t)call->generation << 32);
    for (int i = 0; i < call->count; i += 2) {
        int at = HS_CALLS_LEVELS_AT + i / 2 * 3;
        bool has_two = i + 1 < call->count;
        set(calls, entry, at, pack(call, i));
        set(calls, entry, at + 1, has_two ? pack(call, i + 1) : 0);
        set(calls, entry, at + 2,
            call->name[i] | (uint64_t)(has_two ? call->name[i + 1] : 0) << 32);
    }
    atomic_store_explicit(first, sequence + 2, memory_order_release);
}

void hs_calls_add(struct hs_calls *calls, struct mem_view *v, const struct hs_layout *l,
                  const struct hs_call *call)
{
    add(calls, hs_calls_return(calls, call->pc), v, l, call);
}

void hs_calls_add_top(struct hs_calls *calls, struct mem_view *v, const struct hs_layout *l,
                      const struct hs_call *call)
{
    add(calls, top(calls, call->pc), v, l, call);
}

void hs_calls_forget(struct hs_calls *calls)
{
    for (uint32_t i = 0; i < HS_CALLS_RETURNS + HS_CALLS_TOPS; i++)
        set(calls, &calls->entries[i], 1, 0);
}
