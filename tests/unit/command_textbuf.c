/*
 * cli_textbuf.c - lines that are broken to fit a width.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "command/textbuf.h"
#include <string.h>

static void assert_wrapped(const char *text, size_t columns, const char *expected)
{
    struct textbuf t = {0};
    textbuf_text(&t, "a head that stays as long as it is\n");
    size_t start = t.len;
    textbuf_text(&t, text);
    textbuf_wrap(&t, start, columns);
    textbuf_char(&t, '\0');
    assert_false(t.is_bad);
    assert_string_equal(t.bytes + start, expected);
    textbuf_done(&t);
}

static void lines_are_broken_at_the_last_blank_that_fits(void **state)
{
    (void)state;
    assert_wrapped("one two three\nfour", 0, "one two three\nfour");
    assert_wrapped("one two three\nfour", 13, "one two three\nfour");
    assert_wrapped("one two three\nfour", 12, "one two\nthree\nfour");
    assert_wrapped("one two three four", 7, "one two\nthree\nfour");
}

static void a_word_that_is_longer_stays_whole(void **state)
{
    (void)state;
    assert_wrapped("threethree one two", 4, "threethree\none\ntwo");
    assert_wrapped("one threethree", 4, "one\nthreethree");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_broken_at_the_last_blank_that_fits),
        cmocka_unit_test(a_word_that_is_longer_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
