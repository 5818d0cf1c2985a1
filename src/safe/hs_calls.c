/*
 * hs_calls.c - see hs_calls.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_calls.h"
#include "safe/hs_code.h"
#include <stdatomic.h>

#define ENTRY_COUNT 2048
#define LEVELS_AT 5
#define NEAR_WORDS 8
#define FAR_WORDS 24
#define BCI_SHIFT 48

/* Words: sequence (odd: being written), pc, blob, compile id and frame size, counts; then for each
 * two levels the one's method with its bci in the upper 16 bits, the other's, and both names. Most
 * entries have no more than two: their eight words are a cache line in one table, the others have
 * the rest in a second. */
struct entry {
    _Alignas(64) _Atomic uint64_t words[NEAR_WORDS];
};
struct entry_rest {
    _Atomic uint64_t words[FAR_WORDS];
};

_Static_assert(HS_CALLS_LEVELS % 2 == 0, "levels come in twos");
_Static_assert(LEVELS_AT + HS_CALLS_LEVELS / 2 * 3 <= NEAR_WORDS + FAR_WORDS, "a call has room");

static struct entry entries[ENTRY_COUNT];
static struct entry_rest rests[ENTRY_COUNT];

static struct entry *entry_of(uint64_t pc)
{
    return &entries[(pc * 0x9e3779b97f4a7c15u >> 40) % ENTRY_COUNT];
}

static _Atomic uint64_t *word_of(struct entry *e, int i)
{
    return i < NEAR_WORDS ? &e->words[i] : &rests[e - entries].words[i - NEAR_WORDS];
}

static uint64_t get(struct entry *e, int i)
{
    return atomic_load_explicit(word_of(e, i), memory_order_acquire);
}

static void set(struct entry *e, int i, uint64_t value)
{
    atomic_store_explicit(word_of(e, i), value, memory_order_relaxed);
}

/* No address has more than 48 bits; bcis are -1 to 65534. */
static uint64_t pack(const struct hs_call *call, int i)
{
    return call->method[i] | (uint64_t)(uint16_t)(call->bci[i] + 1) << BCI_SHIFT;
}

static inline void unpack(struct hs_call *call, int i, uint64_t word, uint32_t name)
{
    call->bci[i] = (int32_t)(word >> BCI_SHIFT) - 1;
    call->method[i] = word & (((uint64_t)1 << BCI_SHIFT) - 1);
    call->name[i] = name;
}

static inline void unpack_two(struct hs_call *call, int i, struct entry *e)
{
    int at = LEVELS_AT + i / 2 * 3;
    uint64_t names = get(e, at + 2);
    unpack(call, i, get(e, at), (uint32_t)names);
    unpack(call, i + 1, get(e, at + 1), (uint32_t)(names >> 32));
}

/* Two levels are unpacked whether there are so many or not: they lie in the same cache line. */
int hs_calls_find(struct mem_view *v, const struct hs_layout *l, uint64_t pc,
                  struct hs_call *ret_call)
{
    struct entry *e = entry_of(pc);
    uint64_t sequence = get(e, 0);
    if ((sequence & 1) != 0 || get(e, 1) != pc)
        return 0;
    uint64_t blob = get(e, 2), ids = get(e, 3), counts = get(e, 4);
    ret_call->pc = pc;
    ret_call->blob = blob;
    ret_call->compile_id = (uint32_t)ids;
    ret_call->frame_size = (int32_t)(ids >> 32);
    ret_call->count = (uint8_t)counts;
    ret_call->level = (uint8_t)(counts >> 8);
    ret_call->exact = (uint8_t)(counts >> 16);
    ret_call->generation = (uint32_t)(counts >> 32);
    unpack_two(ret_call, 0, e);
    for (int i = 2; i < ret_call->count && i < HS_CALLS_LEVELS; i += 2)
        unpack_two(ret_call, i, e);
    if (atomic_load_explicit(&e->words[0], memory_order_relaxed) != sequence)
        return 0;
    uint32_t faults = v->faults;
    return ret_call->count <= HS_CALLS_LEVELS && hs_code_is_start(v, l, blob) &&
           mem_view_u4(v, blob + (uint64_t)l->nmethod_compile_id) == (uint32_t)ids &&
           v->faults == faults;
}

void hs_calls_add(struct mem_view *v, const struct hs_layout *l, const struct hs_call *call)
{
    struct entry *e = entry_of(call->pc);
    uint64_t sequence = atomic_load_explicit(&e->words[0], memory_order_relaxed);
    uint32_t faults = v->faults;
    uint32_t id = mem_view_u4(v, call->blob + (uint64_t)l->nmethod_compile_id);
    if (call->count > HS_CALLS_LEVELS || v->faults != faults || (sequence & 1) != 0 ||
        !atomic_compare_exchange_strong(&e->words[0], &sequence, sequence + 1))
        return;
    set(e, 1, call->pc);
    set(e, 2, call->blob);
    set(e, 3, id | (uint64_t)(uint32_t)call->frame_size << 32);
    set(e, 4,
        call->count | (uint64_t)call->level << 8 | (uint64_t)call->exact << 16 |
            (uint64_t)call->generation << 32);
    for (int i = 0; i < call->count; i += 2) {
        int at = LEVELS_AT + i / 2 * 3;
        int has_two = i + 1 < call->count;
        set(e, at, pack(call, i));
        set(e, at + 1, has_two ? pack(call, i + 1) : 0);
        set(e, at + 2, call->name[i] | (uint64_t)(has_two ? call->name[i + 1] : 0) << 32);
    }
    atomic_store_explicit(&e->words[0], sequence + 2, memory_order_release);
}

void hs_calls_forget(void)
{
    for (int i = 0; i < ENTRY_COUNT; i++)
        set(&entries[i], 1, 0);
}
