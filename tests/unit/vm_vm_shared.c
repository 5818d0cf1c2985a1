/*
 * vm_vm_shared.c - two libraries, each with a copy of the floor.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdint.h>
#include "cmocka_all.h"

struct vm_shared;

struct vm_shared *copy_a_block(void);
struct vm_shared *copy_b_block(void);
int copy_a_library(void);
int copy_b_library(void);

/* The file that an address was loaded from. */
static const void *base_of(const void *address)
{
    Dl_info info;
    assert_true(dladdr(address, &info));
    return info.dli_fbase;
}

static void both_libraries_find_one_block(void **state)
{
    assert_ptr_not_equal(base_of((void *)(uintptr_t)copy_a_block),
                         base_of((void *)(uintptr_t)copy_b_block));
    assert_ptr_equal(copy_a_block(), copy_b_block());
    assert_ptr_equal(copy_a_block(), copy_b_block());
}

static void it_is_in_the_library_that_was_loaded_first(void **state)
{
    assert_ptr_equal(base_of(copy_b_block()), base_of((void *)(uintptr_t)copy_a_block));
}

static void each_library_has_a_number(void **state)
{
    int a = copy_a_library(), b = copy_b_library();
    assert_int_equal(a + b, 1);
    assert_int_not_equal(a, b);
    assert_int_equal(copy_a_library(), a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_libraries_find_one_block),
        cmocka_unit_test(it_is_in_the_library_that_was_loaded_first),
        cmocka_unit_test(each_library_has_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
