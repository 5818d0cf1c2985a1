/*
 * nativemem_drain.c - see nativemem.h.
 *
 * Samples and ends of blocks come through the ring, in this order for each block. If the ring was
 * full, an end is in the table, and may be seen before the sample. Then the block is looked at
 * again after the next reading of the ring. A sample is in the ring before its block can be freed,
 * so it does come.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>
#include "agent/engine/engine.h"
#include "agent/nativemem/nativemem.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/stack_source/callstack.h"
#include "base/sampled.h"
#include "base/splitmix.h"
#include "options/options_nativemem.h"
#include "profile/sums.h"
#include "profile/tally.h"
#include "safe/clock.h"
#include "safe/memhook.h"

extern const struct engine engine_nativemem;

/* Indexes of the values of KIND_MALLOC and of KIND_MAP. */
enum { BYTES, BLOCKS, HELD_BYTES, HELD_BLOCKS };

/* What a block stands for in a recording. */
static struct sampled stands_for(const struct recording *r, uint64_t bytes, uint64_t address,
                                 uint64_t time_ns)
{
    return sampled_of(bytes, options_nativemem_of(&r->options)->interval_bytes, address, time_ns);
}

/* Count the event for `r`, which has its kind, block and values, with what the record has of the
 * call. Returns whether it is counted; if not, as lost. */
static bool count_event(struct nativemem *n, struct recording *r, const struct memhook_sample *s,
                        const struct callstack *stack, struct event *e)
{
    struct agent *a = n->hooking.agent;
    e->thread = profile_thread_by_serial(a->profile, s->stack.serial);
    e->time_ns = s->time_ns;
    e->context = scope_context_of(a, &s->stack.scopes);
    if (!stack->is_lost)
        e->trace = callstack_trace(a, r, stack, e->thread, &e->is_truncated);
    if (e->trace && recording_count(a, r, e) == 0)
        return true;
    n->of[r->place].lost++;
    return false;
}

/* Count the block for `r`. `block`: NULL if its end will not be seen. */
static void count_block(struct nativemem *n, struct recording *r, const struct memhook_sample *s,
                        const struct callstack *stack, struct nativemem_block *block)
{
    struct nativemem_counts *c = &n->of[r->place];
    const struct event_block of = {.address = block ? s->address : 0, .bytes = s->bytes};
    struct sampled for_it = stands_for(r, s->bytes, of.address, s->time_ns);
    struct event e = {.kind = KIND_MALLOC,
                      .block = &of,
                      .value = {[BYTES] = for_it.bytes, [BLOCKS] = for_it.count}};
    if (!count_event(n, r, s, stack, &e))
        return;
    c->samples++;
    if (!block) {
        c->unwatched++;
        return;
    }
    block->of[r->place] = e.trace;
    block->cut |= (uint8_t)(e.is_truncated << r->place);
}

static void take_in(struct nativemem *n, const struct memhook_sample *s)
{
    struct nativemem_block *block = s->slot == BLOCKSET_NONE ? NULL : &n->blocks[s->slot];
    double drawn =
        splitmix_fraction(splitmix_next(&n->random)) * sampled_hit(s->bytes, n->interval);
    struct callstack stack;
    struct recording *r;
    if (block)
        *block = (struct nativemem_block){
            .address = s->address,
            .bytes = s->bytes,
            .time_ns = s->time_ns,
            .thread = profile_thread_by_serial(n->hooking.agent->profile, s->stack.serial)};
    callstack_copy(s->frames, hookring_frames(&s->stack), s->stack.is_truncated, &stack);
    callstack_name(n->hooking.agent, &stack, 0);
    for (int at = 0; (r = engine_recording(n->hooking.agent, &engine_nativemem, &at)) != NULL;) {
        if (drawn < sampled_hit(s->bytes, options_nativemem_of(&r->options)->interval_bytes))
            count_block(n, r, s, &stack, block);
        else
            n->of[r->place].thinned++;
    }
}

/* [s->address, high) holds nothing of what was mapped until `before_ns`. */
static void end_ranges(struct nativemem *n, const struct memhook_sample *s, uint64_t high,
                       uint64_t before_ns)
{
    const struct event_block of = {
        .address = s->address, .bytes = high - s->address, .is_freed = true};
    uint64_t lost;
    uint8_t places = nativemem_ranges_cut(&n->ranges, s->address, high, before_ns, &lost);
    struct recording *r;
    for (int at = 0; places && (r = engine_recording(n->hooking.agent, &engine_nativemem, &at));) {
        const struct event e = {.kind = KIND_MAP, .trace = 1, .time_ns = s->time_ns, .block = &of};
        n->of[r->place].mappings_unwatched += lost > 0;
        if (places >> r->place & 1)
            recording_tell(r, &e);
    }
}

/* The end of the last page; the kernel maps and unmaps whole pages. */
static uint64_t high_of(const struct memhook_sample *s)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), high;
    return __builtin_add_overflow(s->address, s->bytes, &high) ? UINT64_MAX
                                                               : (high + page - 1) / page * page;
}

static void take_mapped(struct nativemem *n, const struct memhook_sample *s)
{
    struct nativemem_range range = {
        .low = s->address,
        .high = high_of(s),
        .time_ns = s->time_ns,
        .thread = profile_thread_by_serial(n->hooking.agent->profile, s->stack.serial)};
    const struct event_block of = {.address = s->address, .bytes = range.high - range.low};
    struct callstack stack;
    struct recording *r;
    end_ranges(n, s, range.high, UINT64_MAX);
    callstack_copy(s->frames, hookring_frames(&s->stack), s->stack.is_truncated, &stack);
    callstack_name(n->hooking.agent, &stack, 0);
    for (int at = 0; (r = engine_recording(n->hooking.agent, &engine_nativemem, &at)) != NULL;) {
        struct event e = {
            .kind = KIND_MAP, .block = &of, .value = {[BYTES] = of.bytes, [BLOCKS] = 1}};
        if (!count_event(n, r, s, &stack, &e))
            continue;
        n->of[r->place].mappings++;
        range.of[r->place] = e.trace;
        range.cut |= (uint8_t)(e.is_truncated << r->place);
    }
    if (nativemem_ranges_add(&n->ranges, &range))
        return;
    for (int at = 0; (r = engine_recording(n->hooking.agent, &engine_nativemem, &at)) != NULL;)
        n->of[r->place].mappings_unwatched++;
}

/* Tell the recordings of the end of a block. */
static void end_block(struct nativemem *n, const struct nativemem_block *b, uint64_t time_ns)
{
    const struct event_block of = {.address = b->address, .bytes = b->bytes, .is_freed = true};
    struct recording *r;
    for (int at = 0; (r = engine_recording(n->hooking.agent, &engine_nativemem, &at)) != NULL;) {
        struct event e = {
            .kind = KIND_MALLOC, .trace = b->of[r->place], .time_ns = time_ns, .block = &of};
        if (!e.trace)
            continue;
        n->of[r->place].freed++;
        recording_tell(r, &e);
    }
}

/* Take the end of a block from the ring. */
static void take_end(struct nativemem *n, const struct memhook_sample *s)
{
    struct nativemem_block *b = &n->blocks[s->slot];
    if (b->address != s->address)
        return;
    end_block(n, b, s->time_ns);
    b->address = 0;
}

/* Take the ends that are in the table. */
static void take_ends(struct nativemem *n)
{
    uint64_t freed = atomic_load(&memhook.held.freed), address, time_ns;
    uint32_t at = 0;
    int32_t slot;
    if (freed == n->freed_seen && !n->has_waiting)
        return;
    n->freed_seen = freed;
    n->has_waiting = false;
    while ((slot = blockset_next_freed(&memhook.held, &at, &address, &time_ns)) != BLOCKSET_NONE) {
        struct nativemem_block *b = &n->blocks[slot];
        if (b->address != address) {
            n->has_waiting = true;
            continue;
        }
        end_block(n, b, time_ns);
        b->address = 0;
        blockset_release(&memhook.held, slot);
    }
}

/* The ring does not say whose samples it has lost. */
static void tell_lost(struct nativemem *n)
{
    uint64_t lost = atomic_load(&memhook.lost);
    struct recording *r;
    for (int at = 0; (r = engine_recording(n->hooking.agent, &engine_nativemem, &at)) != NULL;)
        n->of[r->place].lost += lost - n->lost_told;
    n->lost_told = lost;
}

void nativemem_drain_take_in(struct hooking *h, const void *record)
{
    struct nativemem *n = (struct nativemem *)h;
    const struct memhook_sample *s = record;
    if (s->what == MEMHOOK_BLOCK)
        take_in(n, s);
    else if (s->what == MEMHOOK_FREED)
        take_end(n, s);
    else if (s->what == MEMHOOK_MAPPED)
        take_mapped(n, s);
    else
        end_ranges(n, s, high_of(s), s->time_ns);
}

void nativemem_drain(struct hooking *h)
{
    struct nativemem *n = (struct nativemem *)h;
    hooking_read(h);
    take_ends(n);
    tell_lost(n);
}

/* Set the columns of blocks that are held to 0, because they show only the moment of this dump. */
static void clear_columns(struct sums *s)
{
    for (uint32_t row = 1; row <= s->rows.count; row++)
        sums_at(s, row)->value[HELD_BYTES] = sums_at(s, row)->value[HELD_BLOCKS] = 0;
    s->total[HELD_BYTES] = s->total[HELD_BLOCKS] = 0;
}

/* Count what is held at this moment; `e` has what is its own. */
static void count_held(struct nativemem *n, struct recording *r, struct event *e, uint64_t made_ns)
{
    if (profile_count_in(n->hooking.agent->profile, r->tally, e) != 0)
        n->of[r->place].lost++;
    e->time_ns = clock_monotonic_ns();
    e->made_ns = made_ns;
    if (recording_is_ending(r) || n->hooking.agent->dying)
        recording_tell(r, e);
}

static void count_ranges(struct nativemem *n, struct recording *r)
{
    for (uint32_t i = 0; i < n->ranges.count; i++) {
        const struct nativemem_range *m = &n->ranges.rows[i];
        const struct event_block of = {.address = m->low, .bytes = m->high - m->low};
        struct event e = {.kind = KIND_MAP,
                          .trace = m->of[r->place],
                          .thread = m->thread,
                          .is_truncated = m->cut >> r->place & 1,
                          .block = &of,
                          .value = {[HELD_BYTES] = of.bytes, [HELD_BLOCKS] = 1}};
        if (e.trace)
            count_held(n, r, &e, m->time_ns);
    }
}

void nativemem_drain_held(struct nativemem *n, struct recording *r)
{
    clear_columns(tally_sums(r->tally, KIND_MALLOC));
    clear_columns(tally_sums(r->tally, KIND_MAP));
    if (n->lost_told != n->lost_before)
        nativemem_ranges_check(&n->ranges);
    count_ranges(n, r);
    for (uint32_t i = 0; i < n->slots; i++) {
        const struct nativemem_block *b = &n->blocks[i];
        if (!b->address || !b->of[r->place])
            continue;
        struct sampled for_it = stands_for(r, b->bytes, b->address, b->time_ns);
        struct event e = {.kind = KIND_MALLOC,
                          .trace = b->of[r->place],
                          .thread = b->thread,
                          .is_truncated = b->cut >> r->place & 1,
                          .value = {[HELD_BYTES] = for_it.bytes, [HELD_BLOCKS] = for_it.count}};
        count_held(n, r, &e, b->time_ns);
    }
}

void nativemem_drain_forget(struct nativemem *n, int place)
{
    for (uint32_t i = 0; i < n->slots; i++)
        if (n->blocks[i].address)
            n->blocks[i].of[place] = 0;
    for (uint32_t i = 0; i < n->ranges.count; i++)
        n->ranges.rows[i].of[place] = 0;
}
