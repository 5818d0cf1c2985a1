/*
 * The VM's own account of its memory, as JDK 8 to 28 print it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "footprint/footprint_nmt.h"
#include "cmocka_all.h"
#include "base/err.h"

static void reads_each_category_with_its_malloc(void **state)
{
    (void)state;
    struct footprint_nmt nmt;
    const char *text =
        "4711:\n\nNative Memory Tracking:\n\nTotal: reserved=3364KB, committed=1024KB\n"
        "       malloc: 44KB #10\n\n"
        "-                 Java Heap (reserved=2048KB, committed=512KB)\n"
        "                            (mmap: reserved=2048KB, committed=512KB) \n \n"
        "-                    Thread (reserved=1024KB, committed=84KB)\n"
        "                            (thread #12)\n"
        "                            (stack: reserved=1000KB, committed=60KB)\n"
        "                            (malloc=20KB tag=Thread #71) \n"
        "                            (arena=4KB #20)\n \n"
        "-                        GC (reserved=99999999999999999999999KB, committed=)\n";
    assert_int_equal(footprint_nmt_parse(text, &nmt), 0);
    assert_int_equal(nmt.count, 3);
    assert_string_equal(nmt.rows[0].name, "Java Heap");
    assert_int_equal(nmt.rows[0].reserved, 2048 << 10);
    assert_int_equal(nmt.rows[0].committed, 512 << 10);
    assert_int_equal(nmt.rows[0].malloc, 0);
    assert_string_equal(nmt.rows[1].name, "Thread");
    assert_int_equal(nmt.rows[1].malloc, 24 << 10);
    assert_int_equal(nmt.rows[2].reserved, 0);
}

static void says_that_there_is_none(void **state)
{
    (void)state;
    struct footprint_nmt nmt;
    assert_int_equal(footprint_nmt_parse("4711:\nNative memory tracking is not enabled\n", &nmt),
                     E_NOT_FOUND);
    assert_int_equal(footprint_nmt_parse("-\n- (\n-x(committed=1KB)", &nmt), E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_each_category_with_its_malloc),
        cmocka_unit_test(says_that_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
