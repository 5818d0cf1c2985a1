/*
 * safe_hs_refs.c - references of each collector, put together as it does, and made-up tables of
 * what ZGC moved. SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_refs.h"
#include "cmocka_all.h"
#include "safe/mem.h"

#define ADDRESS UINT64_C(0x0400abcdef08)
#define MARKS UINT64_C(0x0590)
#define HEAP_BASE UINT64_C(0x040000000000)
#define GRANULE (UINT64_C(1) << 21)
#define REMEMBERED UINT64_C(0x30)

/* What a ZForwarding is to us: start, alignment, entries. */
struct forwarding {
    uint64_t start, align, length;
    uint64_t entries[16];
};

static int read_here(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    (void)m;
    if (addr < 0x10000)
        return -1;
    memcpy(dst, (const void *)addr, len);
    return 0;
}
static const struct mem_ops here_ops = {.read = read_here};
static struct mem here = {.ops = &here_ops};

static uint64_t good;
static uint64_t young_map[4], old_map[4];
static struct hs_refs refs;
static struct mem_view view;

static uint64_t colour(uint64_t address, unsigned bit)
{
    return address << (13 + bit) | UINT64_C(1) << (12 + bit);
}

/* Two generations, nothing moved, the current colour is the third. */
static int set_up(void **state)
{
    (void)state;
    view = (struct mem_view){.mem = &here};
    memset(young_map, 0, sizeof(young_map));
    memset(old_map, 0, sizeof(old_map));
    good = UINT64_C(1) << 14;
    refs = (struct hs_refs){.is_x86 = 1, .mover = HS_REFS_Z_TWO, .z_shift = 13};
    refs.good_at = (uint64_t)&good;
    refs.offset_mask = HEAP_BASE - 1;
    refs.granule_shift = 21;
    refs.tables[0] = (struct hs_refs_table){(uint64_t)young_map, 4};
    refs.tables[1] = (struct hs_refs_table){(uint64_t)old_map, 4};
    refs.forwarding.align = offsetof(struct forwarding, align);
    refs.forwarding.length = offsetof(struct forwarding, length);
    refs.forwarding.size = offsetof(struct forwarding, entries);
    return 0;
}

static int load(uint64_t word, uint64_t *ret_object)
{
    *ret_object = 0xbad;
    return hs_refs_load(&view, &refs, (uint64_t)&word, ret_object);
}

/* Where an index goes first, by the definition of the hash: not by the code under test. */
static uint32_t first_slot(uint32_t key)
{
    key = ~key + (key << 15);
    key = key ^ (key >> 12);
    key = key + (key << 2);
    key = key ^ (key >> 4);
    key = key * 2057;
    key = key ^ (key >> 16);
    return key & 15;
}

static void move(struct forwarding *f, uint64_t from, uint64_t to)
{
    uint64_t index = (from - f->start) >> f->align;
    uint32_t at = first_slot((uint32_t)index);
    while (f->entries[at] != 0)
        at = (at + 1) & 15;
    f->entries[at] = index << 46 | to << 1 | 1;
}

/* Which collection last saw it moves the address, and the address comes out whatever the VM's own
 * shift is by now. */
static void every_colour_gives_the_address(void **state)
{
    (void)state;
    for (uint32_t bit = 0; bit < 4; bit++) {
        for (refs.z_shift = 13; refs.z_shift <= 16; refs.z_shift++)
            assert_true(hs_refs_word(&refs, colour(ADDRESS, bit) | MARKS) == ADDRESS);
    }
}

static void null_is_null_in_every_colour(void **state)
{
    uint64_t object;
    (void)state;
    assert_true(hs_refs_word(&refs, 0) == 0);
    for (uint32_t bit = 0; bit < 4; bit++) {
        assert_true(hs_refs_word(&refs, colour(0, bit) | MARKS) == 0);
        assert_true(load(colour(0, bit) | MARKS, &object) && object == 0);
    }
}

static void elsewhere_the_shift_is_always_the_same(void **state)
{
    (void)state;
    refs.is_x86 = 0;
    refs.z_shift = 16;
    assert_true(hs_refs_word(&refs, UINT64_C(0xabc8) << 16 | 0xe590) == 0xabc8);
}

static void the_current_colour_is_not_looked_up(void **state)
{
    struct forwarding f = {.start = 0, .align = 3, .length = 16};
    uint64_t object;
    (void)state;
    young_map[0] = old_map[0] = (uint64_t)&f;
    move(&f, 0x100, 0x900);
    assert_true(load(colour(HEAP_BASE + 0x100, 2), &object));
    assert_true(object == HEAP_BASE + 0x100);
}

/* The third colour is current: the fourth differs in the young bit, the first in the old one. */
static void a_stale_reference_goes_where_its_own_collection_moved_it(void **state)
{
    struct forwarding young = {.start = GRANULE, .align = 3, .length = 16}, old = young;
    uint64_t object, from = GRANULE + 0x100;
    (void)state;
    young_map[1] = (uint64_t)&young;
    old_map[1] = (uint64_t)&old;
    move(&young, from, 0x111100);
    move(&old, from, 0x222200);
    assert_true(load(colour(HEAP_BASE + from, 3), &object) && object == HEAP_BASE + 0x111100);
    assert_true(load(colour(HEAP_BASE + from, 0), &object) && object == HEAP_BASE + 0x222200);
    /* Stale for both: a field of an old object says so, else a young page decides. */
    assert_true(load(colour(HEAP_BASE + from, 1), &object) && object == HEAP_BASE + 0x111100);
    assert_true(load(colour(HEAP_BASE + from, 1) | REMEMBERED, &object) &&
                object == HEAP_BASE + 0x222200);
    young_map[1] = 0;
    assert_true(load(colour(HEAP_BASE + from, 1), &object) && object == HEAP_BASE + 0x222200);
}

/* Offset 0 in the heap is a place like any other: null has no heap base either. */
static void the_object_at_the_start_of_the_heap_moves_too(void **state)
{
    struct forwarding f = {.start = 0, .align = 3, .length = 16};
    uint64_t object;
    (void)state;
    young_map[0] = (uint64_t)&f;
    move(&f, 0, 0x111100);
    assert_true(load(colour(HEAP_BASE, 3), &object) && object == HEAP_BASE + 0x111100);
    assert_true(load(colour(0, 3), &object) && object == 0);
}

static void what_was_not_moved_is_where_it_was(void **state)
{
    struct forwarding f = {.start = GRANULE, .align = 3, .length = 16};
    uint64_t object;
    (void)state;
    young_map[1] = (uint64_t)&f;
    for (uint64_t from = GRANULE + 0x100; from < GRANULE + 0x140; from += 8)
        move(&f, from, from + 0x100000);
    for (uint64_t from = GRANULE + 0x100; from < GRANULE + 0x140; from += 8)
        assert_true(load(colour(HEAP_BASE + from, 3), &object) &&
                    object == HEAP_BASE + from + 0x100000);
    assert_true(load(colour(HEAP_BASE + GRANULE + 0x800, 3), &object));
    assert_true(object == HEAP_BASE + GRANULE + 0x800);
    assert_true(load(colour(HEAP_BASE + 2 * GRANULE + 0x100, 3), &object));
    assert_true(object == HEAP_BASE + 2 * GRANULE + 0x100);
}

static void what_makes_no_sense_is_refused(void **state)
{
    struct forwarding f = {.start = GRANULE, .align = 3, .length = 12};
    uint64_t object;
    (void)state;
    assert_false(load(colour(HEAP_BASE, 2) | UINT64_C(1) << 12, &object)); /* two colours */
    assert_false(load(ADDRESS & ~UINT64_C(0xf000), &object));              /* none */
    assert_false(load(colour(HEAP_BASE + 4 * GRANULE, 3), &object));       /* beyond the table */
    young_map[1] = (uint64_t)&f;
    assert_false(load(colour(HEAP_BASE + GRANULE, 3), &object)); /* a length that is none */
    young_map[1] = 0x1000;
    assert_false(load(colour(HEAP_BASE + GRANULE, 3), &object)); /* not readable */
    refs.mover = HS_REFS_UNKNOWN;
    assert_false(load(colour(HEAP_BASE, 2), &object));
}

/* Marked 0, marked 1 and remapped are the bits from 42 on. */
static void one_generation_knows_moved_and_remapped_ones(void **state)
{
    const uint64_t marked0 = UINT64_C(1) << 42, marked1 = marked0 << 1, remapped = marked0 << 2;
    struct forwarding f = {.start = GRANULE, .align = 3, .length = 16};
    uint64_t object, from = GRANULE + 0x40;
    (void)state;
    refs.mover = HS_REFS_Z_ONE;
    refs.offset_mask = marked0 - 1;
    refs.colours = marked0 * 15;
    young_map[1] = (uint64_t)&f;
    move(&f, from, 0x3000);
    good = remapped; /* while it moves, and after */
    assert_true(load(from | marked1, &object) && object == (0x3000 | remapped));
    assert_true(load(from | remapped, &object) && object == (from | remapped));
    good = marked0; /* the next marking */
    assert_true(load(from | marked1, &object) && object == (0x3000 | marked0));
    assert_true(load(from | remapped, &object) && object == (from | marked0));
    assert_true(load(from | marked0, &object) && object == (from | marked0));
    assert_false(load(from, &object));
}

static void shenandoah_leaves_the_new_address_in_the_old_copy(void **state)
{
    uint64_t copy[2] = {0x21, 0}, old[2] = {(uint64_t)copy | 3, 0}, self[2] = {3, 0}, object;
    (void)state;
    refs.mover = HS_REFS_SHENANDOAH;
    assert_true(load((uint64_t)old, &object) && object == (uint64_t)copy);
    assert_true(load((uint64_t)copy, &object) && object == (uint64_t)copy);
    assert_true(load((uint64_t)self, &object) && object == (uint64_t)self);
    assert_false(load(0x1000, &object));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_colour_gives_the_address, set_up),
        cmocka_unit_test_setup(null_is_null_in_every_colour, set_up),
        cmocka_unit_test_setup(elsewhere_the_shift_is_always_the_same, set_up),
        cmocka_unit_test_setup(the_current_colour_is_not_looked_up, set_up),
        cmocka_unit_test_setup(a_stale_reference_goes_where_its_own_collection_moved_it, set_up),
        cmocka_unit_test_setup(the_object_at_the_start_of_the_heap_moves_too, set_up),
        cmocka_unit_test_setup(what_was_not_moved_is_where_it_was, set_up),
        cmocka_unit_test_setup(what_makes_no_sense_is_refused, set_up),
        cmocka_unit_test_setup(one_generation_knows_moved_and_remapped_ones, set_up),
        cmocka_unit_test_setup(shenandoah_leaves_the_new_address_in_the_old_copy, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
