/*
 * cli_own_words.c - messages of the agent's options in a command's words.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "command/cmd.h"
#include "jvm/own_words.h"
#include <string.h>

/* As run has them, and as record does, which knows a file's format by its name alone. */
static const struct opt of_run[] = {{1, 'o', "output", "FILE", ""},
                                    {2, 'f', "format", "a|b", ""},
                                    {3, 'e', "event", "NAMES", ""},
                                    {4, 0, "timer", "NAME", ""},
                                    {5, 0, "on", "TRIGGER", ""},
                                    {6, 0, "no-lines", NULL, ""},
                                    {7, 0, "wall-threads", "NAMES", ""},
                                    {8, 'O', "agent-option", "NAME=VALUE", ""},
                                    {0}};
static const struct opt of_record[] = {
    {1, 'o', "output", "FILE", ""}, {2, 'e', "event", "NAMES", ""}, {0}};
static const struct opt of_start[] = {{1, 0, "loop", "TIME", ""}, {2, 0, "keep", "N", ""}, {0}};
static const struct cmd start = {.name = "start", .options = of_start};
static const struct cmd run = {.name = "run", .options = of_run};
static const struct cmd record = {.name = "record", .options = of_record};

static void assert_said(const struct cmd *cmd, const char *text, const char *expected)
{
    char own[OWN_WORDS_MAX];
    own_words_put(cmd, text, own, sizeof(own));
    assert_string_equal(own, expected);
}

static void an_option_of_the_agent_is_named_as_the_command_has_it(void **state)
{
    (void)state;
    assert_said(&run, "event=custom is for JFR: file=x.jfr",
                "--event custom is for JFR: --output x.jfr");
    assert_said(&run, "event=gc is not supported with format=b",
                "--event gc is not supported with --format b");
    assert_said(&record, "event=gc is not supported with format=b",
                "--event gc is not supported with --output *.hprof");
    assert_said(&run, "heap=dump is not supported with format=jfr",
                "--agent-option heap=dump is not supported with --output *.jfr");
    assert_said(&run, "cpu=times|old is not supported with format=b",
                "--event times is not supported with --format b");
    assert_said(&run, "monitor= and event=lock have one table, MONITOR TIME: use one",
                "--event monitor and --event lock have one table, MONITOR TIME: use one");
    assert_said(&run, "the value stands apart: event=wall and wall=10ms",
                "the value stands apart: --event wall and --agent-option wall=10ms");
    assert_said(&run, "syntax error parsing wallthreads=patterns",
                "syntax error parsing --wall-threads patterns");
    assert_said(&run, "the timer is timer=ctimer", "the timer is --timer ctimer");
    assert_said(&run, "can't create profile file: /a=b/c (x): give a writable place with file=",
                "can't create profile file: /a=b/c (x): give a writable place with --output");
    assert_said(&run, "lineno=n", "--no-lines");
    assert_said(&run, "lineno=y", "lineno=y");
}

static void options_parted_by_commas_are_parted_by_blanks(void **state)
{
    (void)state;
    assert_said(&start, "keep= is for the files of loop=, as in loop=1h,keep=24",
                "--keep is for the files of --loop, as in --loop 1h --keep 24");
    assert_said(&start, "loop=1h,keep=3,x=y", "--loop 1h --keep 3,x=y");
    assert_said(&start, "leave loop=, or keep=, out", "leave --loop, or --keep, out");
}

static void a_trigger_is_what_stands_behind_on(void **state)
{
    (void)state;
    assert_said(&run, "onmethod=a.B.c: no such class", "--on method=a.B.c: no such class");
    assert_said(&run, "onoom=: no", "--on oom: no");
    assert_said(&record, "onoom=: no", "onoom=: no");
}

static void what_the_command_has_no_word_for_stays(void **state)
{
    (void)state;
    assert_said(&record, "the timer is timer=ctimer", "the timer is timer=ctimer");
    assert_said(&run, "loop=1h,keep=3 and x=y, profile=file",
                "loop=1h,keep=3 and x=y, profile=file");
    assert_said(NULL, "file=x.jfr", "file=x.jfr");
}

static void a_message_that_grows_too_long_is_cut(void **state)
{
    char text[OWN_WORDS_MAX * 2] = "", own[OWN_WORDS_MAX];
    (void)state;
    for (size_t i = 0; i + 8 < sizeof(text); i += 7)
        memcpy(text + i, "file=x ", 8);
    own_words_put(&run, text, own, sizeof(own));
    assert_int_equal(strlen(own), sizeof(own) - 1);
    assert_memory_equal(own, "--output x --output x ", 22);
}

static void an_option_is_passed_on_as_the_agent_has_it(void **state)
{
    (void)state;
    const struct own_word *word = own_words_of("wall-threads");
    assert_string_equal(word->name, "wallthreads");
    assert_null(word->shown);
    word = own_words_of("no-lines");
    assert_string_equal(word->name, "lineno");
    assert_string_equal(word->value, "n");
    assert_string_equal(word->shown, "");
    assert_string_equal(own_words_of("threads")->value, "y");
    assert_null(own_words_of("thread"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_of_the_agent_is_named_as_the_command_has_it),
        cmocka_unit_test(options_parted_by_commas_are_parted_by_blanks),
        cmocka_unit_test(a_trigger_is_what_stands_behind_on),
        cmocka_unit_test(what_the_command_has_no_word_for_stays),
        cmocka_unit_test(a_message_that_grows_too_long_is_cut),
        cmocka_unit_test(an_option_is_passed_on_as_the_agent_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
