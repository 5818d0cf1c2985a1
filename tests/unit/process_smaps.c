/*
 * Texts like /proc/PID/smaps: whole ones, and such as no kernel writes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/smaps.h"
#include "cmocka_all.h"
#include <string.h>
#include <unistd.h>
#include "base/err.h"

#define HEAD "00400000-00402000 r-xp 00001000 fe:00 1234                         /bin/x (deleted)\n"

static void has_sizes_and_path_of_each_mapping(void **state)
{
    (void)state;
    struct smaps s;
    const char *text = HEAD "Size:                  8 kB\nRss:                   4 kB\n"
                            "Pss:                   2 kB\nSwap:                  4 kB\n"
                            "SwapPss:               1 kB\nVmFlags: rd ex mr\n"
                            "00602000-00a02000 rw-s 00000000 00:00 0 \n"
                            "Rss:                1024 kB\nPrivate_Hugetlb:      2048 kB\n"
                            "Shared_Hugetlb:      1024 kB\n";
    assert_int_equal(smaps_parse(strdup(text), &s), 0);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.rows[0].start, 0x400000);
    assert_int_equal(s.rows[0].end, 0x402000);
    assert_int_equal(s.rows[0].offset, 0x1000);
    assert_int_equal(s.rows[0].inode, 1234);
    assert_string_equal(s.rows[0].path, "/bin/x (deleted)");
    assert_true(s.rows[0].can_read && s.rows[0].can_execute);
    assert_false(s.rows[0].can_write || s.rows[0].is_shared);
    assert_int_equal(s.rows[0].resident, 4096);
    assert_int_equal(s.rows[0].swapped, 4096);
    assert_string_equal(s.rows[1].path, "");
    assert_true(s.rows[1].can_write && s.rows[1].is_shared);
    assert_int_equal(s.rows[1].huge, 3 << 20);
    assert_int_equal(s.resident, 4096 + (1 << 20));
    assert_ptr_equal(smaps_at(&s, 0x401fff), &s.rows[0]);
    assert_null(smaps_at(&s, 0x402000));
    assert_ptr_equal(smaps_at(&s, 0xa01fff), &s.rows[1]);
    assert_null(smaps_at(&s, 0xa02000));
    smaps_done(&s);
}

static void passes_over_what_makes_no_sense(void **state)
{
    (void)state;
    struct smaps s;
    /* Sizes before any mapping, more than a mapping has, no number, a mapping that ends before it
     * begins, one that overlaps the last one, and a line that is cut. */
    const char *text = "Rss: 4 kB\n" HEAD "Rss: 999999999999999999999999 kB\nRss: -4 kB\nRss:\n"
                       "Rss: 100 kB\n00401000-00500000 rw-p 0 0:0 0 \nRss: 64 kB\n"
                       "00700000-00600000 rw-p 0 0:0 0 \nRss: 64 kB\n0080";
    assert_int_equal(smaps_parse(strdup(text), &s), 0);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.resident, 0x2000);
    smaps_done(&s);
    assert_int_equal(smaps_parse(strdup(""), &s), E_FORMAT);
    smaps_done(&s);
}

static void reads_the_sum_of_a_rollup(void **state)
{
    (void)state;
    uint64_t bytes;
    const char *text = "00400000-7ffc00000000 ---p 00000000 00:00 0      [rollup]\nRss:   12 kB\n"
                       "Pss:    8 kB\n";
    assert_int_equal(smaps_parse_rollup(text, &bytes), 0);
    assert_int_equal(bytes, 12 << 10);
    assert_int_equal(smaps_parse_rollup("Pss: 1 kB\nPss: 2 kB", &bytes), E_FORMAT);
}

static void adds_up_to_the_rollup_of_this_process(void **state)
{
    (void)state;
    struct smaps s;
    uint64_t rollup;
    assert_int_equal(smaps_read(getpid(), &s, &rollup), 0);
    /* Reading allocates; a page or two may come between. */
    assert_true(rollup + (1 << 20) > s.resident && s.resident + (1 << 20) > rollup);
    assert_non_null(smaps_at(&s, (uint64_t)(uintptr_t)&s));
    smaps_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_sizes_and_path_of_each_mapping),
        cmocka_unit_test(passes_over_what_makes_no_sense),
        cmocka_unit_test(reads_the_sum_of_a_rollup),
        cmocka_unit_test(adds_up_to_the_rollup_of_this_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
