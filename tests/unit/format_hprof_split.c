/* format_hprof_split.c - records of a stream. SPDX-License-Identifier: Apache-2.0 */
#include "format/hprof_split.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"

/* The stream with a '|' at each end of a record, read in pieces of `step`. malloc'ed. */
static char *split(const char *bytes, size_t len, size_t step)
{
    char *text = calloc(2, len + 1), *to = text;
    struct hprof_split s = {.format = 0};
    for (size_t at = 0; at < len;) {
        size_t piece = len - at < step ? len - at : step;
        bool is_end;
        size_t n = hprof_split_take(&s, (const unsigned char *)bytes + at, piece, &is_end);
        memcpy(to, bytes + at, n);
        to += n;
        at += n;
        if (is_end)
            *to++ = '|';
    }
    return text;
}

static void check_text(const char *expected)
{
    char *stream = calloc(1, strlen(expected) + 1), *to = stream;
    for (const char *at = expected; *at; at++)
        if (*at != '|')
            *to++ = *at;
    for (size_t step = 1; step <= strlen(stream); step++) {
        char *text = split(stream, strlen(stream), step);
        assert_string_equal(text, expected);
        free(text);
    }
    free(stream);
}

static void text_ends_at_lines_blocks_and_tables(void **state)
{
    (void)state;
    check_text("JAVA PROFILE 1.0.1, created today\n"
               "\n"
               "  TRACE            a stack\n"
               "CPU SAMPLES BEGIN is not a table here\n"
               "--------\n"
               "\n"
               "|THREAD START (obj=50000001, id = 200001, name=\"main\", group=\"main\")\n"
               "|TRACE 300000:\n"
               "\t<empty>\n"
               "|TRACE 300001:\n"
               "\tA.b(A.java:1)\n"
               "\tA.c(A.java:2)\n"
               "|CPU SAMPLES BEGIN (total = 3) today\n"
               "rank   self  accum   count trace method\n"
               "   1 99.00% 99.00%       3 300001 A.b\n"
               "SITES END\n"
               "CPU SAMPLES END\n"
               "|  hprof quality\n"
               "  samples = 3\n"
               "|CPU TIME (ms) BEGIN (total = 3) today\n"
               "CPU TIME (ms) END\n"
               "|MONITOR DUMP BEGIN\n"
               "    THREAD 1, trace 2, status: R\n"
               "MONITOR DUMP END\n"
               "|WAITED: MONITOR Ljava/lang/Object;, time_waited=1, thread 2\n"
               "|HEAP DUMP BEGIN (1 objects, 1 bytes) today\n"
               "OBJ 1 (sz=1)\n"
               "\tTRACE\t\t5\n"
               "HEAP DUMP END\n"
               "|");
}

/* Every kind of table that this agent writes, a line within it looking like a record. */
static void no_table_is_parted(void **state)
{
    static const char *const titles[] = {
        "CPU SAMPLES",
        "CPU TIME (ms)",
        "CPU TIME RAW (us)",
        "UNFINISHED CALLS (ms)",
        "WAITING (ms)",
        "UNFINISHED WAITS (ms)",
        "EXACT CPU TIME (ns)",
        "EXACT UNFINISHED CALLS (ns)",
        "EXACT WAITING (ns)",
        "EXACT UNFINISHED WAITS (ns)",
        "EXACT MONITOR TIME (ns)",
        "MONITOR TIME",
        "MONITOR DUMP",
        "SITES",
        "SITES ERRORS",
        "HISTOGRAM",
        "LIVE HISTOGRAM",
        "EVENTS gc",
        "HEAP DUMP",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++) {
        char text[256];
        snprintf(text, sizeof(text), "TRACE 300000:\n|%s BEGIN (x)\nrank\nTRACE\n%s END\n|",
                 titles[i], titles[i]);
        check_text(text);
    }
}

static void text_without_a_prologue_is_lines(void **state)
{
    (void)state;
    check_text("count callee caller time\n"
               "|10 A.b()V A.c()V 5\n");
}

static const char binary[] = "JAVA PROFILE 1.0.1\0"
                             "\0\0\0\4"
                             "12345678"
                             "\x0b\0\0\0\0\0\0\0\4abcd"
                             "\x2c\0\0\0\0\0\0\0\0"
                             "\x01\0\0\n\0\0\0\0\5|\n\0TR";
static const size_t lengths[] = {19 + 12, 13, 9, 14};

static void binary_ends_by_the_lengths(void **state)
{
    (void)state;
    for (size_t step = 1; step < sizeof(binary); step++) {
        struct hprof_split s = {.format = 0};
        size_t record = 0, n = 0;
        for (size_t at = 0; at < sizeof(binary) - 1;) {
            size_t piece = sizeof(binary) - 1 - at < step ? sizeof(binary) - 1 - at : step;
            bool is_end;
            size_t took = hprof_split_take(&s, (const unsigned char *)binary + at, piece, &is_end);
            at += took;
            n += took;
            if (is_end) {
                assert_int_equal(n, lengths[record++]);
                n = 0;
            }
        }
        assert_int_equal(record, 4);
        assert_int_equal(n, 0);
        assert_int_equal(s.format, 'b');
        assert_int_equal(s.tag, 1);
    }
}

static void the_head_of_a_record_is_kept(void **state)
{
    static const char text[] = "x y\nCPU SAMPLES BEGIN (total = 77) today\nrow\nCPU SAMPLES END\n";
    struct hprof_split s = {.format = 0};
    bool is_end;
    (void)state;
    assert_int_equal(hprof_split_take(&s, (const unsigned char *)text, 4, &is_end), 4);
    assert_int_equal(is_end, 0);
    assert_int_equal(hprof_split_take(&s, (const unsigned char *)text + 4, 56, &is_end), 0);
    assert_int_equal(is_end, 1);
    assert_memory_equal(s.head, "x y", s.used);
    assert_int_equal(
        hprof_split_take(&s, (const unsigned char *)text + 4, strlen(text) - 4, &is_end),
        strlen(text) - 4);
    assert_int_equal(is_end, 1);
    assert_int_equal(s.lines, 3);
    assert_int_equal(s.format, 'a');
    assert_memory_equal(s.head, "CPU SAMPLES BEGIN (total = 77) today", s.used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_ends_at_lines_blocks_and_tables),
        cmocka_unit_test(no_table_is_parted),
        cmocka_unit_test(text_without_a_prologue_is_lines),
        cmocka_unit_test(binary_ends_by_the_lengths),
        cmocka_unit_test(the_head_of_a_record_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
