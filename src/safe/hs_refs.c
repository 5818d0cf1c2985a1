/*
 * hs_refs.c - see hs_refs.h, which also says what is read and why reading it is safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_refs.h"
#include "safe/mem.h"

enum {
    /* Colours of generational ZGC: four remapped bits (one is set) and two remembered bits */
    REMAPPED_SHIFT = 12,
    REMAPPED_BITS = 4,
    REMEMBERED = 0x30,
    /* Single-generation ZGC: from the lowest bit on marked 0, marked 1, remapped, finalizable. */
    REMAPPED_OF_ONE = 2,
    /* These mark bits say that the rest of the mark word is the address of the new copy. */
    MARK_FORWARDED = 3,
    MARK_BITS = 7,
    /* An entry of a forwarding: a used bit, 45 bits of the new offset, the index of the object. */
    ENTRY_OFFSET_BITS = 45,
    ENTRY_INDEX_SHIFT = 46,
    /* entries of one forwarding that are looked at; a forwarding is at most half full */
    PROBES_MAX = 1000,
};

static uint32_t remapped_of(uint64_t word)
{
    return (uint32_t)(word >> REMAPPED_SHIFT) & ((1u << REMAPPED_BITS) - 1);
}

static bool is_one_bit(uint32_t bits)
{
    return bits != 0 && (bits & (bits - 1)) == 0;
}

/* On x86-64 the address begins right above the remapped bit that is set, so each reference says by
 * itself how far to shift. On other CPUs the VM's shift never changes. */
uint64_t hs_refs_word(const struct hs_refs *r, uint64_t word)
{
    if (r->z_shift != 0) {
        uint32_t remapped = remapped_of(word);
        if (!r->is_x86 || remapped == 0)
            return word >> r->z_shift;
        return word >> (REMAPPED_SHIFT + 1 + (uint32_t)__builtin_ctz(remapped));
    }
    if (r->z_mask != 0 && word != 0)
        return (word & r->z_mask) | r->z_colour;
    return word;
}

uint64_t hs_refs_klass(struct mem_view *v, const struct hs_refs *r, uint64_t object)
{
    if (object == 0)
        return 0;
    if (r->header == HS_REFS_HEADER_FULL)
        return mem_view_u8(v, object + 8);
    uint64_t narrow = r->header == HS_REFS_HEADER_COMPACT
                          ? mem_view_u8(v, object) >> r->compact_shift
                          : mem_view_u4(v, object + 8);
    return narrow == 0 ? 0 : r->klass_base + (narrow << r->klass_shift);
}

/* ZGC's hash of an object's index: the 32-bit integer hash of Thomas Wang. */
static uint32_t hash_of(uint32_t index)
{
    uint32_t h = (index << 15) - index - 1;
    h ^= h >> 12;
    h *= 5;
    h ^= h >> 4;
    h *= 2057;
    return h ^ h >> 16;
}

static uint64_t forwarding_of(struct mem_view *v, const struct hs_refs *r,
                              const struct hs_refs_table *table, uint64_t offset)
{
    uint64_t granule = offset >> r->granule_shift;
    return granule < table->granules ? mem_view_u8(v, table->map + granule * 8) : 0;
}

/* The present offset of an object that was at `offset` when `table` was made. Returns 1, or 0. */
static int forwarded(struct mem_view *v, const struct hs_refs *r, const struct hs_refs_table *table,
                     uint64_t offset, uint64_t *ret_offset)
{
    uint32_t faults = v->faults;
    uint64_t forwarding = forwarding_of(v, r, table, offset);
    *ret_offset = offset;
    if (offset >> r->granule_shift >= table->granules || v->faults != faults)
        return 0;
    if (forwarding == 0)
        return 1;
    uint64_t start = mem_view_u8(v, forwarding + (uint64_t)r->forwarding.start);
    uint64_t align = mem_view_u8(v, forwarding + (uint64_t)r->forwarding.align);
    uint64_t length = mem_view_u8(v, forwarding + (uint64_t)r->forwarding.length);
    if (v->faults != faults || offset < start || align > 32 || length == 0 ||
        (length & (length - 1)) != 0)
        return 0;
    uint64_t index = (offset - start) >> align, at = hash_of((uint32_t)index);
    for (uint32_t i = 0; i < PROBES_MAX; i++, at++) {
        uint64_t entry =
            mem_view_u8(v, forwarding + (uint64_t)r->forwarding.size + (at & (length - 1)) * 8);
        if (v->faults != faults)
            return 0;
        if ((entry & 1) == 0)
            return 1; /* not moved yet */
        if (entry >> ENTRY_INDEX_SHIFT == index) {
            *ret_offset = entry >> 1 & (((uint64_t)1 << ENTRY_OFFSET_BITS) - 1);
            return 1;
        }
    }
    return 0;
}

static int load_z_one(struct mem_view *v, const struct hs_refs *r, uint64_t word,
                      uint64_t *ret_object)
{
    uint32_t faults = v->faults;
    uint64_t good = mem_view_u8(v, r->good_at), offset = word & r->offset_mask;
    uint64_t remapped = (r->colours & (~r->colours + 1)) << REMAPPED_OF_ONE;
    if (v->faults != faults || (word & ~(r->offset_mask | r->colours)) != 0 ||
        (word & r->colours) == 0)
        return 0;
    if ((word & (good | remapped)) == 0 && !forwarded(v, r, &r->tables[0], offset, &offset))
        return 0;
    *ret_object = offset | good;
    return 1;
}

/* The table of the collection whose moves a reference may have missed. The reference does not have
 * the current colour. */
static int stale_table(struct mem_view *v, const struct hs_refs *r, uint64_t word, uint32_t was,
                       uint32_t is, uint64_t offset)
{
    /* The remapped bit's number changes in bit 0 with young collections, in bit 1 with old ones. */
    if (was >> 1 == is >> 1)
        return 0;
    if ((was & 1) == (is & 1) || (word & REMEMBERED) == REMEMBERED)
        return 1;
    return forwarding_of(v, r, &r->tables[0], offset) == 0;
}

static int load_z_two(struct mem_view *v, const struct hs_refs *r, uint64_t word,
                      uint64_t *ret_object)
{
    uint32_t faults = v->faults, remapped = remapped_of(word);
    uint32_t good = remapped_of(mem_view_u8(v, r->good_at));
    uint64_t object = hs_refs_word(r, word), offset = object & r->offset_mask;
    if (!r->is_x86 || v->faults != faults || !is_one_bit(remapped) || !is_one_bit(good))
        return 0;
    if (remapped != good && object != 0) {
        int table = stale_table(v, r, word, (uint32_t)__builtin_ctz(remapped),
                                (uint32_t)__builtin_ctz(good), offset);
        if (v->faults != faults || !forwarded(v, r, &r->tables[table], offset, &offset))
            return 0;
    }
    *ret_object = (object & ~r->offset_mask) | offset;
    return 1;
}

int hs_refs_follow(struct mem_view *v, const struct hs_refs *r, uint64_t word, uint64_t *ret_object)
{
    uint32_t faults = v->faults;
    *ret_object = word;
    if (word == 0)
        return 1;
    switch (r->mover) {
    case HS_REFS_STOPPED:
        return 1;
    case HS_REFS_SHENANDOAH: {
        uint64_t mark = mem_view_u8(v, word);
        if ((mark & MARK_BITS) == MARK_FORWARDED && mark >> 3 != 0)
            *ret_object = mark & ~(uint64_t)MARK_BITS;
        return v->faults == faults;
    }
    case HS_REFS_Z_ONE:
        return load_z_one(v, r, word, ret_object);
    case HS_REFS_Z_TWO:
        return load_z_two(v, r, word, ret_object);
    default:
        return 0;
    }
}

int hs_refs_load(struct mem_view *v, const struct hs_refs *r, uint64_t addr, uint64_t *ret_object)
{
    uint32_t faults = v->faults;
    uint64_t word =
        r->is_compressed ? hs_refs_narrow(r, mem_view_u4(v, addr)) : mem_view_u8(v, addr);
    return v->faults == faults && hs_refs_follow(v, r, word, ret_object);
}

int hs_refs_moved(struct mem_view *v, const struct hs_refs *r, uint64_t object, int table,
                  uint64_t *ret_object)
{
    uint64_t from = object & r->offset_mask, to;
    if (r->mover != HS_REFS_Z_TWO || !r->is_x86 || !forwarded(v, r, &r->tables[table], from, &to) ||
        to == from)
        return 0;
    *ret_object = (object & ~r->offset_mask) | to;
    return 1;
}

int hs_refs_load_stack(struct mem_view *v, const struct hs_refs *r, uint64_t addr,
                       uint64_t *ret_object)
{
    uint32_t faults = v->faults;
    uint64_t word = mem_view_u8(v, addr);
    *ret_object = word;
    if (v->faults != faults || r->mover == HS_REFS_UNKNOWN)
        return 0;
    return r->mover == HS_REFS_Z_TWO || hs_refs_follow(v, r, word, ret_object);
}
