/* heapimage_oop_maps.c - oop maps of compiled code. SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"
#include "framemade.h"
#include <stdlib.h>
#include <string.h>

static struct framemade *made;

static int begin(void **state)
{
    (void)state;
    made = malloc(sizeof(*made));
    return 0;
}

static int end(void **state)
{
    (void)state;
    interp_mask_done(&made->masks);
    free(made);
    return 0;
}

static void put4(uint32_t at, uint32_t value)
{
    framemade_write(made, at, &value, sizeof(value));
}

/* An entry: its number among registers and slots, and its type. */
#define ENTRY(number, type) (uint8_t)((number) << 2 | (type))
enum { OOP, NARROW, SAVED, DERIVED, FIRST_SLOT = 8 };

/* Two maps, at offsets 16 and 48 of the code. */
static const uint8_t first[] = {ENTRY(FIRST_SLOT + 2, OOP), ENTRY(FIRST_SLOT + 5, NARROW),
                                ENTRY(5, OOP)},
                     second[] = {ENTRY(FIRST_SLOT + 4, DERIVED), FIRST_SLOT + 2, ENTRY(6, SAVED), 3,
                                 ENTRY(FIRST_SLOT + 6, OOP)};
enum {
    PAIRS = FRAMEMADE_MAPS + 8,
    DATA = PAIRS + 2 * 8,
    SECOND = 8, /* the second map's offset in the data */
    BYTES = 8 + 2 * 8 + SECOND + 4 + sizeof(second),
};

static void put_maps(void)
{
    framemade_init(made);
    put4(FRAMEMADE_MAPS, 2);
    put4(FRAMEMADE_MAPS + 4, BYTES);
    put4(PAIRS, 16);
    put4(PAIRS + 4, 0);
    put4(PAIRS + 8, 48);
    put4(PAIRS + 12, SECOND);
    put4(DATA, sizeof(first));
    framemade_write(made, DATA + 4, first, sizeof(first));
    put4(DATA + SECOND, 3);
    framemade_write(made, DATA + SECOND + 4, second, sizeof(second));
}

static struct oop_maps_value values[OOP_MAPS_VALUES];

static int32_t find(uint32_t offset)
{
    return oop_maps_find(&made->maps, &made->blob, made->blob.code + offset, values);
}

static void assert_value(int i, uint32_t number, bool is_register, bool is_narrow)
{
    assert_int_equal(values[i].number, number);
    assert_int_equal(values[i].is_register, is_register);
    assert_int_equal(values[i].is_narrow, is_narrow);
}

static void the_map_of_an_address_names_slots_and_registers(void **state)
{
    (void)state;
    put_maps();
    assert_int_equal(find(16), 3);
    assert_value(0, 2, false, false);
    assert_value(1, 5, false, true);
    assert_value(2, 5, true, false);
}

static void derived_pointers_and_saved_registers_are_left_out(void **state)
{
    (void)state;
    put_maps();
    assert_int_equal(find(48), 1);
    assert_value(0, 6, false, false);
}

static void an_address_without_a_map_has_none(void **state)
{
    static const uint32_t others[] = {0, 15, 17, 47, 49, 0x7fffffff};
    (void)state;
    put_maps();
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_int_equal(find(others[i]), -1);
    assert_int_equal(oop_maps_find(&made->maps, &made->blob, made->blob.code - 1, values), -1);
}

static void numbers_that_make_no_sense_give_no_map(void **state)
{
    static const struct {
        uint32_t at, value;
    } rows[] = {
        {FRAMEMADE_MAPS, UINT32_MAX},     /* maps */
        {FRAMEMADE_MAPS, 0},              /* none */
        {FRAMEMADE_MAPS + 4, UINT32_MAX}, /* bytes */
        {FRAMEMADE_MAPS + 4, 0},
        {PAIRS + 4, UINT32_MAX}, /* the map's place */
        {PAIRS + 4, BYTES},
        {PAIRS, 64},        /* not sorted */
        {DATA, UINT32_MAX}, /* entries */
        {DATA, OOP_MAPS_VALUES + 1},
        {FRAMEMADE_BLOB, 0}, /* the maps' address */
        {FRAMEMADE_BLOB, 0x00100001},
        {FRAMEMADE_BLOB, FRAMEMADE_BYTES - 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        put_maps();
        put4(rows[i].at, rows[i].value);
        assert_int_equal(find(16), -1);
    }
    put_maps();
    made->maps.is_known = false;
    assert_int_equal(find(16), -1);
}

/* JDK 8: pointers to maps, whose data lie elsewhere; types are bits, and plain values are listed.
 */
static void maps_of_the_oldest_form_are_read(void **state)
{
    enum { POINTERS = FRAMEMADE_MAPS + 64, MAPS = POINTERS + 32, ENTRIES = MAPS + 64 };
    uint64_t pointer;
    (void)state;
    framemade_init(made);
    made->maps.is_array = true;
    made->maps.data = 8;
    made->maps.map_pc = 0;
    made->maps.map_count = 4;
    made->maps.map_data = 8;
    made->maps.value.type_mask = 31;
    made->maps.value.register_shift = 5;
    made->maps.value.oop = 1;
    made->maps.value.narrow = 4;
    made->maps.value.saved = 8;
    made->maps.value.derived = 16;
    made->maps.stack0 = 4;
    put4(FRAMEMADE_MAPS, 1);
    pointer = FRAMEMADE_AT + POINTERS;
    framemade_write(made, FRAMEMADE_MAPS + 8, &pointer, 8);
    pointer = FRAMEMADE_AT + MAPS;
    framemade_write(made, POINTERS, &pointer, 8);
    put4(MAPS, 16);
    put4(MAPS + 4, 2);
    pointer = FRAMEMADE_AT + ENTRIES;
    framemade_write(made, MAPS + 8, &pointer, 8);
    /* a value in slot 1, then a reference in slot 3: 7 << 5 | 1 has two bytes */
    framemade_write(made, ENTRIES, (const uint8_t[]){5 << 5 | 2, 225, 0}, 3);
    assert_int_equal(find(16), 1);
    assert_value(0, 3, false, false);
    put4(MAPS + 4, UINT32_MAX);
    assert_int_equal(find(16), -1);
    pointer = 8;
    framemade_write(made, POINTERS, &pointer, 8);
    assert_int_equal(find(16), -1);
}

static void damaged_maps_are_read_within_their_bounds(void **state)
{
    uint64_t seed = 1;
    uint32_t found = 0;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        put_maps();
        for (int i = 0; i < 3; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            uint8_t byte = (uint8_t)(seed >> 56);
            framemade_write(made, FRAMEMADE_MAPS + (uint32_t)(seed >> 33) % BYTES, &byte, 1);
        }
        int32_t count = find(round % 2 ? 16 : 48);
        assert_true(count >= -1 && count <= OOP_MAPS_VALUES);
        found += count > 0;
    }
    assert_true(found > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_map_of_an_address_names_slots_and_registers),
        cmocka_unit_test(derived_pointers_and_saved_registers_are_left_out),
        cmocka_unit_test(an_address_without_a_map_has_none),
        cmocka_unit_test(numbers_that_make_no_sense_give_no_map),
        cmocka_unit_test(maps_of_the_oldest_form_are_read),
        cmocka_unit_test(damaged_maps_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
