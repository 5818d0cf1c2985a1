/*
 * options_options_command.c - commands to an agent that is loaded.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "options/options_command.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

static struct options_command command;
static struct options_error why;

static int tear_down(void **state)
{
    (void)state;
    options_command_done(&command);
    return 0;
}

/* Parses a line that has no error. */
static const struct options_command *parsed(const char *line)
{
    options_command_done(&command);
    assert_int_equal(options_command_parse(line, &command, &why), 0);
    assert_string_equal(why.text, "");
    return &command;
}

/* Why a line is refused. */
static const char *refused(const char *line)
{
    options_command_done(&command);
    assert_int_equal(options_command_parse(line, &command, &why), E_SYNTAX);
    return why.text;
}

static void what_begins_with_no_word_is_an_option_string(void **state)
{
    static const char *const lines[] = {
        "",      "cpu=samples",      "help",  "start=1", "starting,file=x", "stopped",
        "stop ", "cpu=samples,stop", "list=", ",stop",
    };
    (void)state;
    assert_int_equal(parsed(NULL)->word, OPTIONS_COMMAND_NONE);
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        assert_int_equal(parsed(lines[i])->word, OPTIONS_COMMAND_NONE);
        assert_string_equal(command.options, "");
    }
}

static void each_word_is_known_alone(void **state)
{
    static const char *const words[] = {"", "start", "stop", "dump", "status", "list", "malloc"};
    (void)state;
    for (int i = OPTIONS_COMMAND_START; i <= OPTIONS_COMMAND_MALLOC; i++) {
        assert_int_equal(parsed(words[i])->word, i);
        assert_string_equal(options_command_text((enum options_command_word)i), words[i]);
        assert_string_equal(command.options, "");
        assert_string_equal(command.answer, "");
        assert_int_equal(command.protocol, 0);
    }
}

static void malloc_trims_if_asked(void **state)
{
    (void)state;
    assert_false(parsed("malloc")->trims);
    assert_true(parsed("malloc,trim=y,answer=/x")->trims);
    assert_string_equal(refused("malloc,trim=n"), "malloc: only trim=y: trim=n");
    assert_string_equal(refused("list,trim=y"), "list: unknown item: trim=y");
}

static void start_keeps_its_options_as_they_are(void **state)
{
    (void)state;
    assert_string_equal(parsed("start,cpu=samples,file=a.txt")->options, "cpu=samples,file=a.txt");
    assert_string_equal(command.file, "");
    assert_string_equal(parsed("start,answer=/x/y,event=cpu,alloc,protocol=1,net=h:1")->options,
                        "event=cpu,alloc,net=h:1");
    assert_string_equal(command.answer, "/x/y");
    assert_int_equal(command.protocol, 1);
    assert_string_equal(parsed("start,name=second,cpu=times")->options, "cpu=times");
    assert_string_equal(command.name, "second");
    assert_string_equal(parsed("start,")->options, "");
    assert_int_equal(parsed("start,cpu=samples,lease=30")->lease_ns, 30000000000);
    assert_string_equal(command.options, "cpu=samples");
    assert_string_equal(refused("start,lease=0"), "start: no time: lease=0");
    assert_false(command.is_held);
    assert_true(parsed("start,held=y,cpu=samples")->is_held);
    assert_string_equal(command.options, "cpu=samples");
    assert_string_equal(refused("start,held=n"), "start: only held=y: held=n");
    assert_string_equal(refused("stop,held=y"), "stop: unknown item: held=y");
}

static void stop_and_dump_say_which_recording(void **state)
{
    (void)state;
    assert_string_equal(parsed("stop,second")->name, "second");
    assert_string_equal(parsed("stop,name=second,answer=a")->name, "second");
    assert_string_equal(parsed("dump,file=x.txt")->file, "x.txt");
    assert_string_equal(command.name, "");
    assert_string_equal(parsed("dump,answer=a=b")->answer, "a=b");
    assert_int_equal(parsed("status,id=12")->id, 12);
    assert_string_equal(refused("stop,id=x"), "stop: no number: id=x");
}

static void what_a_command_does_not_know_is_refused(void **state)
{
    (void)state;
    assert_string_equal(refused("status,all=1"), "status: unknown item: all=1");
    assert_string_equal(refused("list,file=x"), "list: unknown item: file=x");
    assert_string_equal(refused("stop,cpu=samples"), "stop: unknown item: cpu=samples");
    assert_string_equal(refused("stop,"), "stop: unknown item: ");
    assert_string_equal(refused("dump,name="), "dump: no name: name=");
    assert_string_equal(refused("status,answer="), "status: no path: answer=");
    assert_string_equal(refused("status,protocol=one"), "status: no version: protocol=one");
    assert_string_equal(refused("status,protocol=0"), "status: no version: protocol=0");
    assert_string_equal(refused("status,protocol=2"),
                        "status: this agent's answers have version 1");
}

static void an_answer_is_known_also_where_the_command_is_refused(void **state)
{
    (void)state;
    assert_string_equal(refused("status,all=1,x=y,answer=/a"), "status: unknown item: all=1");
    assert_string_equal(command.answer, "/a");
    assert_string_equal(refused("stop,protocol=7,answer=/b"),
                        "stop: this agent's answers have version 1");
    assert_string_equal(command.answer, "/b");
}

static void a_value_that_is_too_long_is_refused(void **state)
{
    char line[OPTIONS_VALUE + 32] = "status,answer=";
    size_t begun = strlen(line);
    (void)state;
    memset(line + begun, 'x', OPTIONS_VALUE);
    assert_int_equal(strlen(parsed(line)->answer), OPTIONS_VALUE);
    memset(line + begun, 'x', OPTIONS_VALUE + 1);
    assert_memory_equal(refused(line), "status: no path: answer=xx", 26);
    assert_string_equal(command.answer, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_begins_with_no_word_is_an_option_string),
        cmocka_unit_test(each_word_is_known_alone),
        cmocka_unit_test(malloc_trims_if_asked),
        cmocka_unit_test(start_keeps_its_options_as_they_are),
        cmocka_unit_test(stop_and_dump_say_which_recording),
        cmocka_unit_test(what_a_command_does_not_know_is_refused),
        cmocka_unit_test(an_answer_is_known_also_where_the_command_is_refused),
        cmocka_unit_test(a_value_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
