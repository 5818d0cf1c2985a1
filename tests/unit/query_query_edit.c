/* query_query_edit.c - the keys of the shell for questions: editing, history, completion.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "query/query_edit.h"

static const char *name_at(void *with, size_t number)
{
    static const char *const names[] = {"jdk.SocketRead", "jdk.SocketWrite", "jdk.FileRead",
                                        "events",         "top_frame(",      "evil\x1b[2J"};
    (void)with;
    return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}

/* An editor without a terminal. */
static struct query_edit make(void)
{
    return (struct query_edit){.terminal = {.in = -1, .out = -1},
                               .line = calloc(1, QUERY_EDIT_LINE),
                               .prompt = "",
                               .namer = name_at};
}

static void type(struct query_edit *e, const char *keys)
{
    for (; *keys != '\0'; keys++)
        assert_true(query_edit_key(e, (unsigned char)*keys));
}

static void keys_edit_the_line(void **state)
{
    struct query_edit e = make();
    (void)state;
    type(&e, "selct 1");
    type(&e, "\x02\x02\x02\x02"
             "e");
    assert_string_equal(e.line, "select 1");
    type(&e, "\x7f");
    assert_string_equal(e.line, "selct 1");
    type(&e, "\x01\x06\x06\x06\x0b");
    assert_string_equal(e.line, "sel");
    type(&e, "\x15\xc3\xa4\xe4\xb8\xad"); /* characters of two and three bytes */
    type(&e, "\x02\x02\x04");
    assert_string_equal(e.line, "\xe4\xb8\xad");
    type(&e, "\x05 from x\x17y");
    assert_string_equal(e.line, "\xe4\xb8\xad from y");
    assert_true(query_edit_key(&e, TERMINAL_LEFT) && query_edit_key(&e, TERMINAL_DELETE));
    assert_true(query_edit_key(&e, TERMINAL_PAGE_UP) && query_edit_key(&e, TERMINAL_OTHER));
    assert_string_equal(e.line, "\xe4\xb8\xad from ");
    assert_false(query_edit_key(&e, '\r'));
    query_edit_done(&e);
}

static void old_lines_come_back(void **state)
{
    struct query_edit e = make();
    (void)state;
    query_edit_remember(&e, "one");
    query_edit_remember(&e, "two");
    query_edit_remember(&e, "two");
    query_edit_remember(&e, "");
    assert_int_equal(e.history_count, 2);
    e.history_at = e.history_count;
    type(&e, "\x10\x10\x10");
    assert_string_equal(e.line, "one");
    type(&e, "\x0e");
    assert_string_equal(e.line, "two");
    for (int i = 0; i < 2 * QUERY_EDIT_HISTORY; i++)
        query_edit_remember(&e, i % 2 ? "a" : "b");
    assert_int_equal(e.history_count, QUERY_EDIT_HISTORY);
    query_edit_done(&e);
}

static void tab_completes_names(void **state)
{
    static const struct {
        const char *typed, *line;
    } rows[] = {
        {"from ev\t", "from events"}, /* a name that a terminal would obey is not offered */
        {"from JDK.F\t", "from \"jdk.FileRead\""},
        {"from jdk.s\t", "from \"jdk.Socket"},
        {"from \"jdk.SocketR\t", "from \"jdk.SocketRead\""},
        {"select to\t", "select top_frame("},
        {"nothing\t", "nothing"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct query_edit e = make();
        type(&e, rows[i].typed);
        assert_string_equal(e.line, rows[i].line);
        query_edit_done(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_edit_the_line),
        cmocka_unit_test(old_lines_come_back),
        cmocka_unit_test(tab_completes_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
