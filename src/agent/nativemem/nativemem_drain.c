/*
 * nativemem_drain.c - see nativemem.h.
 *
 * Samples and ends of blocks come through the ring, in this order for each block. If the ring was
 * full, an end is in the table, and may be seen before the sample. Then the block is looked at
 * again after the next reading of the ring. A sample is in the ring before its block can be freed,
 * so it does come. SPDX-License-Identifier: Apache-2.0
 */
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

/* Indexes of the values of KIND_MALLOC. */
enum { BYTES, BLOCKS, HELD_BYTES, HELD_BLOCKS };

/* What a block stands for in a recording. */
static struct sampled stands_for(const struct recording *r, uint64_t bytes, uint64_t address,
                                 uint64_t time_ns)
{
    return sampled_of(bytes, options_nativemem_of(&r->options)->interval_bytes, address, time_ns);
}

/* Count the block for `r`. `block`: NULL if its end will not be seen. */
static void count_for(struct nativemem *n, struct recording *r, const struct memhook_sample *s,
                      const struct callstack *stack, struct nativemem_block *block)
{
    struct agent *a = n->hooking.agent;
    struct nativemem_counts *c = &n->of[r->place];
    thread_id thread = profile_thread_by_serial(a->profile, s->stack.serial);
    const struct event_block of = {.address = block ? s->address : 0, .bytes = s->bytes};
    struct sampled for_it = stands_for(r, s->bytes, of.address, s->time_ns);
    struct event e = {.kind = KIND_MALLOC,
                      .thread = thread,
                      .time_ns = s->time_ns,
                      .context = scope_context_of(a, &s->stack.scopes),
                      .block = &of,
                      .value = {[BYTES] = for_it.bytes, [BLOCKS] = for_it.count}};
    if (!stack->is_lost)
        e.trace = callstack_trace(a, r, stack, thread, &e.is_truncated);
    if (!e.trace || recording_count(a, r, &e) != 0) {
        c->lost++;
        return;
    }
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
            count_for(n, r, s, &stack, block);
        else
            n->of[r->place].thinned++;
    }
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
    if (s->bytes)
        take_in(n, s);
    else
        take_end(n, s);
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

void nativemem_drain_held(struct nativemem *n, struct recording *r)
{
    clear_columns(tally_sums(r->tally, KIND_MALLOC));
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
        if (profile_count_in(n->hooking.agent->profile, r->tally, &e) != 0)
            n->of[r->place].lost++;
        e.time_ns = clock_monotonic_ns();
        e.made_ns = b->time_ns;
        if (recording_is_ending(r) || n->hooking.agent->dying)
            recording_tell(r, &e);
    }
}

void nativemem_drain_forget(struct nativemem *n, int place)
{
    for (uint32_t i = 0; i < n->slots; i++)
        if (n->blocks[i].address)
            n->blocks[i].of[place] = 0;
}
