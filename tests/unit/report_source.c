/* report_source.c - sources of another version are known. SPDX-License-Identifier: Apache-2.0 */
#include "report/source.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cmocka_all.h"
#include "testfile.h"

static const char program[] = "class P {\n" /* 1 */
                              "    /* not\n"
                              "       code */ int a = 1;\n"
                              "    String s = \"\"\"\n"
                              "        /* no comment\n" /* 5 */
                              "        \"\"\";\n"
                              "    void outer() {\n"
                              "        // nothing\n"
                              "        inner(\"/*\");\n"
                              "\n" /* 10 */
                              "        leaf(inner(2));\n"
                              "    }\n"
                              "}\n"; /* 13 */

/* What is found where this line was measured, and the calls. */
static int32_t fit(int32_t line, const struct source_call *calls, size_t count)
{
    char path[32];
    int fd = testfile_temp();
    struct source s = {.total = calloc(SOURCE_LINES, sizeof(*s.total)),
                       .calls = (struct source_call *)calls,
                       .call_count = count};
    assert_non_null(s.total);
    assert_int_equal(write(fd, program, sizeof(program) - 1), sizeof(program) - 1);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (line)
        s.total[line] = 1;
    int32_t found = source_fit(&s, path);
    close(fd);
    free(s.total);
    return found;
}

static void a_line_without_code_was_not_measured(void **state)
{
    (void)state;
    static const int32_t with[] = {1, 3, 4, 5, 6, 7, 9, 11, 12, 13}, without[] = {2, 8, 10, 14};

    for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++)
        assert_int_equal(fit(with[i], NULL, 0), 0);
    for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
        assert_int_equal(fit(without[i], NULL, 0), without[i]);
}

static void most_calls_are_named_in_their_lines(void **state)
{
    (void)state;
    const struct source_call right[] = {{9, "inner"}, {11, "leaf"}, {11, "implicit"}},
                             shifted[] = {{8, "inner"}, {10, "leaf"}, {11, "leaf"}},
                             part[] = {{11, "inne"}};

    assert_int_equal(fit(0, right, 3), 0);
    assert_int_equal(fit(0, shifted, 3), 8);
    assert_int_equal(fit(0, part, 1), 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_without_code_was_not_measured),
        cmocka_unit_test(most_calls_are_named_in_their_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
