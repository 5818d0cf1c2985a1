/*
 * hs_calls.h - a cache of what the walker found out about places in compiled code.
 *
 * One table is for return addresses. Another table is for addresses at which threads were
 * interrupted; it has only addresses in the body of a method, where the frame's size alone says
 * where the caller is. The VM spreads the debug data of one frame over a dozen cache lines; an
 * entry has the same data in one to four cache lines.
 *
 * The tables are lock-free: sequence numbers guard the entries, and a reader that meets a writer
 * treats the entry as missing. An entry is valid as long as the same nmethod holds the address: the
 * nmethod starts at the same address and has the same compile id. The VM gives each id once. The id
 * alone is not enough, because the id of a freed nmethod may still lie inside another nmethod.
 *
 * A table is about one memory: a walker has one table for each memory (hs_memory.h). The functions
 * read the heap's map of blocks and the compile id with guarded loads. They write the table, which
 * belongs to the caller (768 KB, touched as used).
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_code.h"
#include <stdatomic.h>
#include <stdbool.h>

/* C2 inlines up to 15 levels, and callers of method handles in addition. */
enum { HS_CALLS_LEVELS = 18 };

/** One place in compiled code: its frame, and its levels of inlining, innermost first. */
struct hs_call {
    uint64_t pc, blob;
    uint32_t compile_id;
    int32_t frame_size;
    uint8_t count, level, exact;
    int32_t bci[HS_CALLS_LEVELS];
    uint64_t method[HS_CALLS_LEVELS];
    uint32_t generation; /* the generation of hs_names.h in which the names below are valid */
    uint32_t name[HS_CALLS_LEVELS]; /* indices of hs_names.h; 0: not known */
};

struct hs_calls;

/** Look up a return address. Returns 1 if its call site is known and unchanged; else 0, and
 * *ret_call is undefined. */
int hs_calls_find(struct hs_calls *calls, struct mem_view *v, const struct hs_layout *l,
                  uint64_t pc, struct hs_call *ret_call);
/** Do the same as hs_calls_find() for an interrupted instruction at `pc`. */
int hs_calls_find_top(struct hs_calls *calls, struct mem_view *v, const struct hs_layout *l,
                      uint64_t pc, struct hs_call *ret_call);

/** Whether a return address is known. */
bool hs_calls_has(struct hs_calls *calls, struct mem_view *v, const struct hs_layout *l,
                  uint64_t pc);

/** Forget all entries, because the names have got other indices or the table is now used for
 * another memory. Context: any, while nobody walks. */
void hs_calls_forget(struct hs_calls *calls);

/** Keep a call site. The function reads its compile id. */
void hs_calls_add(struct hs_calls *calls, struct mem_view *v, const struct hs_layout *l,
                  const struct hs_call *call);
/** Do the same as hs_calls_add() for an interrupted instruction. */
void hs_calls_add_top(struct hs_calls *calls, struct mem_view *v, const struct hs_layout *l,
                      const struct hs_call *call);

/*
 * The table itself is open for walkers that take one call site after the other and have no time to
 * copy each. Such a walker calls hs_calls_look() for an entry, takes the data that it wants, and
 * believes the data only if hs_calls_holds() is true afterwards.
 */

enum {
    HS_CALLS_RETURNS = 2048,
    HS_CALLS_TOPS = 1024,
    HS_CALLS_NEAR = 8,
    HS_CALLS_FAR = 24,
    HS_CALLS_LEVELS_AT = 5,
    HS_CALLS_BCI_SHIFT = 48,
};

/* The words of an entry: sequence (odd: the entry is being written), pc, blob, compile id and frame
 * size, counts. Then follow three words for every two levels: the method of the first level with
 * its bci in the upper 16 bits, the same for the second level, and the names of the two levels.
 * Most entries have at most two levels. Their eight words are one cache line of the first table;
 * entries with more levels have the other words in a second table. */
struct hs_calls_entry {
    _Alignas(64) _Atomic uint64_t words[HS_CALLS_NEAR];
};
struct hs_calls_rest {
    _Atomic uint64_t words[HS_CALLS_FAR];
};

/** Entries of return addresses, then of interrupted instructions. All 0: nothing is known yet. */
struct hs_calls {
    struct hs_calls_entry entries[HS_CALLS_RETURNS + HS_CALLS_TOPS];
    struct hs_calls_rest rests[HS_CALLS_RETURNS + HS_CALLS_TOPS];
};

/** An entry that is being looked at. A field that struct hs_call also has means the same here. */
struct hs_calls_look {
    struct hs_calls *calls;
    struct hs_calls_entry *entry;
    uint32_t generation, compile_id;
    int32_t frame_size;
    uint64_t sequence, blob;
    uint8_t count, level, exact, heap;
};

static inline uint32_t hs_calls_hash(uint64_t pc)
{
    return (uint32_t)(pc * 0x9e3779b97f4a7c15u >> 40);
}

static inline struct hs_calls_entry *hs_calls_return(struct hs_calls *calls, uint64_t pc)
{
    return &calls->entries[hs_calls_hash(pc) % HS_CALLS_RETURNS];
}

static inline _Atomic uint64_t *hs_calls_word_at(struct hs_calls *calls,
                                                 struct hs_calls_entry *entry, int i)
{
    return i < HS_CALLS_NEAR ? &entry->words[i]
                             : &calls->rests[entry - calls->entries].words[i - HS_CALLS_NEAR];
}

static inline uint64_t hs_calls_word(struct hs_calls *calls, struct hs_calls_entry *entry, int i)
{
    return atomic_load_explicit(hs_calls_word_at(calls, entry, i), memory_order_acquire);
}

/** Whether `entry` is about `pc` and is not being written. If so, its count is 1 or more. */
static inline int hs_calls_look(struct hs_calls *calls, struct hs_calls_entry *entry, uint64_t pc,
                                struct hs_calls_look *ret_look)
{
    uint64_t sequence = hs_calls_word(calls, entry, 0);
    if ((sequence & 1) != 0 || hs_calls_word(calls, entry, 1) != pc)
        return 0;
    uint64_t ids = hs_calls_word(calls, entry, 3), counts = hs_calls_word(calls, entry, 4);
    *ret_look = (struct hs_calls_look){.calls = calls,
                                       .entry = entry,
                                       .generation = (uint32_t)(counts >> 32),
                                       .compile_id = (uint32_t)ids,
                                       .frame_size = (int32_t)(ids >> 32),
                                       .sequence = sequence,
                                       .blob = hs_calls_word(calls, entry, 2),
                                       .count = (uint8_t)counts,
                                       .level = (uint8_t)(counts >> 8),
                                       .exact = (uint8_t)(counts >> 16),
                                       .heap = (uint8_t)(counts >> 24)};
    return ret_look->count - 1u < HS_CALLS_LEVELS;
}

struct hs_calls_level {
    uint64_t method;
    int32_t bci;
    uint32_t name;
};

/** Level `i` of an entry; `i` is less than its count. */
static inline struct hs_calls_level hs_calls_level(const struct hs_calls_look *look, int i)
{
    int at = HS_CALLS_LEVELS_AT + i / 2 * 3;
    uint64_t word = hs_calls_word(look->calls, look->entry, at + i % 2),
             names = hs_calls_word(look->calls, look->entry, at + 2);
    return (struct hs_calls_level){.method = word & (((uint64_t)1 << HS_CALLS_BCI_SHIFT) - 1),
                                   .bci = (int32_t)(word >> HS_CALLS_BCI_SHIFT) - 1,
                                   .name = (uint32_t)(names >> i % 2 * 32)};
}

/** Whether the entry was not written meanwhile, and is about the nmethod that is there now. */
static inline bool hs_calls_holds(struct mem_view *v, const struct hs_layout *l,
                                  const struct hs_calls_look *look)
{
    uint32_t faults = v->faults;
    return hs_calls_word(look->calls, look->entry, 0) == look->sequence &&
           hs_code_is_start_in(v, l, &l->heaps[look->heap], look->blob) &&
           mem_view_u4(v, look->blob + (uint64_t)l->nmethod_compile_id) == look->compile_id &&
           v->faults == faults;
}
