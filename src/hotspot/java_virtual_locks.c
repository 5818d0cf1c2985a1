/*
 * java_virtual_locks.c - see java_virtual_locks.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_virtual_locks.h"
#include "hotspot/java_chunk_facts.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"
#include "safe/hs_layout.h"

/* Offsets in an ObjectWaiter. No table of the VM has them; therefore a waiter counts only if it
 * names the thread that led to it. */
enum { WAITER_VIRTUAL_THREAD = 24, WAITER_MONITOR = 32 };

/* CHUNK_IS_OBJECT is stackChunkOopDesc::FLAG_GC_MODE: the references in the chunk have the form of
 * those in other objects (ZGC). CHUNK_IS_COMPRESSED is FLAG_HAS_BITMAP: they are compressed.
 * Without these flags they have the form of references on a stack. */
enum { CHUNK_IS_OBJECT = 1 << 3, CHUNK_IS_COMPRESSED = 1 << 4 };

/* The offset that the VM keeps in a variable; -1: the VM has no such variable. */
static int32_t offset_kept_at(const struct target *t, uint64_t variable)
{
    int32_t offset = variable != 0 ? (int32_t)target_u4(t, variable) : -1;
    return offset > 0 ? offset : -1;
}

uint64_t java_virtual_locks_awaited(struct oops *o, uint64_t thread)
{
    const struct target *t = o->target;
    int32_t waiter_at = offset_kept_at(t, t->layout->virtual_waiter_at);
    uint64_t waiter = waiter_at < 0 ? 0 : target_u8(t, thread + (uint64_t)waiter_at);
    if (waiter == 0)
        return 0;
    /* Compare ids, not addresses: while a collector moves the thread, it has two addresses. */
    uint64_t named = oops_of_handle(o, waiter + WAITER_VIRTUAL_THREAD);
    uint64_t id = oops_get_number(o, thread, "tid", 8);
    if (named == 0 || oops_klass(o, named) != oops_klass(o, thread) ||
        oops_get_number(o, named, "tid", 8) != id)
        return 0;
    return target_u8(t, waiter + WAITER_MONITOR);
}

static uint64_t reference_at(const struct oops *o, uint8_t chunk_flags, uint64_t at)
{
    if ((chunk_flags & CHUNK_IS_COMPRESSED) != 0 && o->refs.is_compressed)
        return oops_of_narrow(o, target_u4(o->target, at));
    uint64_t word = target_u8(o->target, at);
    return (chunk_flags & CHUNK_IS_OBJECT) != 0 ? oops_of_word(o, word)
                                                : oops_of_lock_word(o, word);
}

uint32_t java_virtual_locks_held(struct oops *o, uint64_t thread, uint64_t *objects, uint32_t max)
{
    const struct target *t = o->target;
    int32_t count_at = offset_kept_at(t, t->layout->chunk_lock_count_at);
    int32_t flags_at = offset_kept_at(t, t->layout->chunk_flags_at);
    uint64_t chunk = oops_get_object(o, oops_get_object(o, thread, "cont"), "tail");
    struct hs_chunk_facts facts;
    uint8_t count = 0, flags = 0;
    uint32_t found = 0;
    if (count_at < 0 || flags_at < 0 || chunk == 0 ||
        mem_read(t->mem, chunk + (uint64_t)count_at, &count, 1) < 0 || count == 0 ||
        mem_read(t->mem, chunk + (uint64_t)flags_at, &flags, 1) < 0 ||
        !java_chunk_facts_of(o, oops_klass(o, chunk), &facts))
        return 0;
    for (uint32_t i = 0; i < count && found < max; i++) {
        uint64_t at = chunk + (uint64_t)facts.header + (uint64_t)i * 8;
        uint64_t object = reference_at(o, flags, at);
        if (object != 0)
            objects[found++] = object;
    }
    return found;
}
