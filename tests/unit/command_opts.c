/*
 * cli_opts.c - options as people write them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "command/cmd.h"
#include "command/opts.h"
#include <stdio.h>
#include <string.h>

enum { DEPTH = 1, QUIET, TOP };

static const struct opt rows[] = {
    {DEPTH, 'd', "depth", "N", "frames"},
    {QUIET, 'q', "quiet", NULL, "no summary"},
    {TOP, 0, "top", "N", "rows"},
    {0},
};
static const struct cmd command = {.name = "demo", .options = rows};

/* What comes back for "demo" and the words of `line`, up to the first result that ends it. */
static void assert_parsed(const char *line, const char *expected)
{
    char copy[256], got[512] = "", *argv[32] = {"demo"};
    struct opts opts;
    int argc = 1, id;
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    opts_init(&opts, &command, argc, argv);
    do {
        size_t n = strlen(got);
        id = opts_next(&opts);
        snprintf(got + n, sizeof(got) - n, "%s%d%s%s", n > 0 ? " " : "", id, opts.value ? ":" : "",
                 opts.value ? opts.value : "");
    } while (id > 0 || id == OPTS_WORD);
    assert_string_equal(got, expected);
}

static void values_come_attached_or_as_the_next_word(void **state)
{
    (void)state;
    assert_parsed("--depth 8 --depth=9 -d 10 -d11", "1:8 1:9 1:10 1:11 0");
    assert_parsed("--depth= x", "1: -1:x 0");
    assert_parsed("--depth -q", "1:-q 0"); /* a value may begin with a dash */
}

static void switches_stand_in_one_bundle(void **state)
{
    (void)state;
    assert_parsed("-qqd8", "2 2 1:8 0");
    assert_parsed("-q -", "2 -1:- 0");
}

static void operands_may_stand_anywhere(void **state)
{
    (void)state;
    assert_parsed("a -q b", "-1:a 2 -1:b 0");
    assert_parsed("-q -- -d --top", "2 -1:-d -1:--top 0");
}

static void every_command_has_help(void **state)
{
    (void)state;
    assert_parsed("--help -q", "-3");
    assert_parsed("-qh", "2 -3");
}

static void what_is_wrong_ends_it(void **state)
{
    (void)state;
    assert_parsed("--dpeth 8", "-2");
    assert_parsed("--quiet=y", "-2");
    assert_parsed("-q --depth", "2 -2");
    assert_parsed("-x", "-2");
    assert_parsed("--", "0");
    assert_parsed("---", "-2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_attached_or_as_the_next_word),
        cmocka_unit_test(switches_stand_in_one_bundle),
        cmocka_unit_test(operands_may_stand_anywhere),
        cmocka_unit_test(every_command_has_help),
        cmocka_unit_test(what_is_wrong_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
