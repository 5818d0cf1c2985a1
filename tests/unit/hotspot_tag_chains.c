/* hotspot_tag_chains.c - room in the VM's table of tags. SPDX-License-Identifier: Apache-2.0 */
#include "hotspot/tag_chains.h"
#include <string.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "safe/mem_self.h"

enum { CHAINS = 4801, TAG = 77, AT = 1234 };

/* As JDK 8 and 11 have them. */
struct shape {
    uint64_t env[100];
    struct {
        uint64_t env, lock[15], table, unused;
        int32_t unused_count;
    } map;
    struct {
        int32_t chains, size_index, entries;
        float per_chain;
        int32_t grows_above;
        uint8_t may_grow;
        int32_t trace_above;
        uint64_t heads;
    } table;
    uint64_t heads[CHAINS];
    struct {
        uint64_t object, tag, next;
    } entry;
};

static struct shape vm;

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* A guard of the loads. Without one mem_self asks the kernel by a call that emulators do not know.
 * cmocka has put its own handlers in since the test before. */
static void guard(void)
{
    mem_self_replaced();
    assert_int_equal(mem_self_open(MEM_SELF_HANDLER, 0), 0);
}

static void make(void)
{
    guard();
    vm = (struct shape){
        .map = {.env = address(vm.env), .table = address(&vm.table)},
        .table = {CHAINS, 0, 1, 4.0F, 4 * CHAINS, 1, -1, address(vm.heads)},
        .entry = {0x7f0000001000, TAG, 0},
    };
    vm.env[3] = address(&vm.table); /* not a map: it does not lead back */
    vm.env[43] = address(&vm.map);
    vm.heads[AT] = address(&vm.entry);
}

/* What SetTag(object, 0) does. */
static void take_tag_away(void)
{
    vm.heads[AT] = 0;
    vm.table.entries = 0;
    vm.map.unused = address(&vm.entry);
    vm.map.unused_count = 1;
}

static int find(struct tag_chains *r)
{
    return tag_chains_find(&mem_self, 8, address(vm.env), TAG, r);
}

static void a_table_as_expected_gets_room(void **state)
{
    (void)state;
    struct tag_chains r;
    make();
    assert_int_equal(find(&r), 0);
    take_tag_away();
    assert_int_equal(tag_chains_make(&mem_self, &r), 0);
    assert_true(vm.table.per_chain == 1.0F);
    assert_int_equal(vm.table.grows_above, CHAINS);
    assert_true(vm.map.unused_count < -1000000000);
    assert_int_equal(vm.map.unused, address(&vm.entry));
}

static void the_chain_of_an_object_is_known_beforehand(void **state)
{
    (void)state;
    struct tag_chains r;
    make();
    assert_int_equal(find(&r), 0);
    /* The VM takes the lower half of the address, in words, modulo the number of chains. */
    assert_int_equal(tag_chains_expect(&mem_self, &r, 0x7f0000000000 + 8 * (CHAINS + AT)),
                     address(&vm.heads[AT]));
    vm.table.heads = 8; /* nothing can be read there, and nothing is */
    assert_int_equal(tag_chains_expect(&mem_self, &r, 16), 8 + 2 * 8);
    vm.table.chains = 0;
    assert_int_equal(tag_chains_expect(&mem_self, &r, 16), 0);
}

static void another_jdk_or_tag_is_refused(void **state)
{
    (void)state;
    struct tag_chains r;
    make();
    assert_int_equal(tag_chains_find(&mem_self, 16, address(vm.env), TAG, &r), E_FACT_MISSING);
    assert_int_equal(tag_chains_find(&mem_self, 8, address(vm.env), TAG + 1, &r), E_FACT_MISSING);
    assert_int_equal(tag_chains_find(&mem_self, 15, address(vm.env), TAG, &r), 0);
    vm.map.env = 0; /* of another environment */
    assert_int_equal(find(&r), E_FACT_MISSING);
}

/* One by one, everything that is not as expected. */
static void spoil(int what)
{
    switch (what) {
    case 0:
        vm.table.size_index = 1;
        break;
    case 1:
        vm.table.entries = 2;
        break;
    case 2:
        vm.table.per_chain = 2;
        break;
    case 3:
        vm.table.grows_above++;
        break;
    case 4:
        vm.table.may_grow = 2;
        break;
    case 5:
        vm.table.trace_above = 1;
        break;
    case 6:
        vm.table.heads = 0x7ffffffff000;
        break;
    case 7:
        vm.heads[CHAINS - 1] = address(&vm.entry);
        break;
    case 8:
        vm.heads[AT] = 0;
        break;
    case 9:
        vm.entry.next = address(&vm.entry);
        break;
    case 10:
        vm.map.unused_count = 1;
        break;
    case 11:
        vm.map.unused = address(&vm.entry);
        break;
    default:
        vm.heads[AT] = 0x7ffffffff000; /* an entry that is not there */
    }
}

static void a_table_that_looks_otherwise_is_refused(void **state)
{
    (void)state;
    struct tag_chains r;
    for (int what = 0; what < 13; what++) {
        make();
        spoil(what);
        assert_int_equal(find(&r), E_FACT_MISSING);
    }
}

/* After the tag was taken away. */
static void spoil_later(int what)
{
    switch (what) {
    case 0:
        vm.table.entries = 1;
        break;
    case 1:
        vm.heads[AT] = address(&vm.entry);
        break;
    case 2:
        vm.map.unused = 0;
        break;
    case 3:
        vm.map.unused_count = 0;
        break;
    case 4:
        vm.entry.next = address(&vm.entry);
        break;
    default:
        vm.table.grows_above--;
    }
}

static void an_entry_that_goes_elsewhere_changes_nothing(void **state)
{
    (void)state;
    struct tag_chains r;
    for (int what = 0; what < 6; what++) {
        struct shape before;
        make();
        assert_int_equal(find(&r), 0);
        take_tag_away();
        spoil_later(what);
        before = vm;
        assert_int_equal(tag_chains_make(&mem_self, &r), E_FACT_MISSING);
        assert_memory_equal(&vm, &before, sizeof(vm));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_as_expected_gets_room),
        cmocka_unit_test(the_chain_of_an_object_is_known_beforehand),
        cmocka_unit_test(another_jdk_or_tag_is_refused),
        cmocka_unit_test(a_table_that_looks_otherwise_is_refused),
        cmocka_unit_test(an_entry_that_goes_elsewhere_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
