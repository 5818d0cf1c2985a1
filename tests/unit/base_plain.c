/* base_plain.c - what a terminal may have of a name. SPDX-License-Identifier: Apache-2.0 */
#include "base/plain.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sink.h"
#include "cmocka_all.h"

static char taken[256];
static size_t taken_len;

static int take(void *to, const unsigned char *bytes, size_t len)
{
    (void)to;
    memcpy(taken + taken_len, bytes, len);
    taken_len += len;
    return 0;
}

/* One row a text: what is written of it. */
static void what_drives_a_terminal_is_a_question_mark(void **state)
{
    static const struct {
        const char *text, *plain;
    } rows[] = {
        {"java.lang.String", "java.lang.String"},
        {"Gr\xc3\xb6\xc3\x9f"
         "e \xe2\x82\xac \xf0\x9f\x98\x80",
         "Gr\xc3\xb6\xc3\x9f"
         "e \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xed\xa0\xbd\xed\xb8\x80", "\xed\xa0\xbd\xed\xb8\x80"}, /* as modified UTF-8 has it */
        {"a\x1b[2Jb", "a?[2Jb"},
        {"a\tb\x7f", "a?b?"},
        {"a\nb\rc", "a b c"},
        {"a\xc2\x9b"
         "31mb",
         "a?31mb"}, /* CSI of C1 */
        {"a\x9b"
         "31mb",
         "a?31mb"}, /* the same as one byte */
        {"a\xc1\x9b"
         "b",
         "a?b"}, /* a bracket in two bytes */
        {"a\xc0\x80"
         "b",
         "a?b"}, /* NUL */
        {"a\xc0\x9b"
         "b",
         "a?b"}, /* ESC in two bytes */
        {"a\xe0\x80\x9b"
         "b",
         "a?b"},
        {"a\xe2\x80\xae"
         "b\xe2\x81\xa6"
         "c\xe2\x80\x8f"
         "d\xd8\x9c",
         "a?b?c?d?"},
        {"a\xe2\x80\xa8"
         "b",
         "a?b"},
        {"\xe2\x80", "??"},
        {"\xff\xfe", "??"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sink s;
        taken_len = 0;
        assert_int_equal(sink_init_taker(&s, take, NULL), 0);
        plain_put(&s, rows[i].text, strlen(rows[i].text));
        assert_int_equal(sink_done(&s), 0);
        taken[taken_len] = '\0';
        assert_string_equal(taken, rows[i].plain);
    }
}

static void a_character_that_goes_on_is_told_from_an_odd_one(void **state)
{
    (void)state;
    assert_true(plain_is_cut("\xe2\x82", 2));
    assert_true(plain_is_cut("\xf0", 1));
    assert_false(plain_is_cut("\xe2\x82\xac", 3));
    assert_false(plain_is_cut("\xe2"
                              "a",
                              2));
    assert_false(plain_is_cut("\x9b", 1));
    assert_false(plain_is_cut("a", 1));
    assert_false(plain_is_cut("", 0));
}

static void a_copy_fits_its_room(void **state)
{
    char cell[6];
    (void)state;
    assert_int_equal(plain_copy(cell, sizeof(cell), "a\tb"), 3);
    assert_string_equal(cell, "a?b");
    assert_int_equal(plain_copy(cell, sizeof(cell), "abcdefgh"), 5);
    assert_string_equal(cell, "abcde");
    assert_int_equal(plain_copy(cell, sizeof(cell), ""), 0);
    assert_string_equal(cell, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_drives_a_terminal_is_a_question_mark),
        cmocka_unit_test(a_copy_fits_its_room),
        cmocka_unit_test(a_character_that_goes_on_is_told_from_an_odd_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
