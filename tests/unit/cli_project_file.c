/*
 * cli_project_file.c - the options of a project's file, and what the command line makes of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/project_file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "command/cmd.h"
#include "cli/project_output.h"
#include "cmocka_all.h"

static const struct opt rows[] = {
    {1, 'd', "depth", "N", "frames"},
    {2, 'q', "quiet", NULL, "no summary"},
    {3, 0, "agent", "PATH", "a library"},
    {4, 0, "output", "FILE", "where to"},
    {5, 0, "jfr", "[=SETTINGS]", "the JVM's own recording"},
    {0},
};
static const struct project_option project[] = {
    {1, PROJECT_ANY}, {2, PROJECT_ANY}, {4, PROJECT_OUTPUT}, {5, PROJECT_PRESET}, {0, PROJECT_ANY}};
static const struct cmd starter = {
    .name = "run", .options = rows, .ends_at_word = true, .project = project};
static const struct cmd recorder = {.name = "record", .options = rows, .project = project};

const struct cmd *const cmd_all[] = {&starter, &recorder, NULL};

/* In the command it looks at folders. */
const char *project_output_refuse(const char *path)
{
    return path[0] == '/' ? "absolute" : NULL;
}

/* What is taken of `text` where "NAME" and the words of `typed` are the command line. */
static int take(const struct cmd *cmd, const char *typed, const char *text, char *ret, size_t size)
{
    char name[16], line[128], *argv[16] = {name};
    struct project_file p = {.argc = 1, .argv = argv};
    FILE *in = fmemopen((void *)text, strlen(text), "r");
    int error;
    snprintf(name, sizeof(name), "%s", cmd->name);
    snprintf(line, sizeof(line), "%s", typed);
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        argv[p.argc++] = word;
    assert_non_null(in);
    error = project_file_parse(&p, cmd, in, "hprof.conf");
    ret[0] = '\0';
    for (size_t i = 0; i < p.made_count; i++)
        snprintf(ret + strlen(ret), size - strlen(ret), "[%s]", p.made[i]);
    fclose(in);
    project_file_done(&p);
    return error;
}

static void each_line_is_an_option_of_its_command(void **state)
{
    char got[128];
    (void)state;
    assert_int_equal(take(&starter, "java",
                          "# ours\n\nrun --depth 12 \nrecord --depth 3\n  run -q\r\n", got,
                          sizeof(got)),
                     0);
    assert_string_equal(got, "[--depth=12][--quiet]");
    assert_int_equal(take(&starter, "java", "run --depth=a b\n", got, sizeof(got)), 0);
    assert_string_equal(got, "[--depth=a b]");
}

static void what_is_typed_goes_before_the_file(void **state)
{
    char got[128];
    (void)state;
    assert_int_equal(take(&starter, "-d4 java", "run --depth 12\nrun -q\n", got, sizeof(got)), 0);
    assert_string_equal(got, "[--quiet]");
    /* Of the program that is run, not of the command. */
    assert_int_equal(take(&starter, "java -d 4", "run --depth 12\n", got, sizeof(got)), 0);
    assert_string_equal(got, "[--depth=12]");
    assert_int_equal(take(&recorder, "4711 -d 4", "record --depth 12\n", got, sizeof(got)), 0);
    assert_string_equal(got, "");
}

static void what_is_no_option_is_refused(void **state)
{
    static const char *const wrong[] = {
        "rum --depth 1\n", "run depth 1\n",     "run --deep 1\n", "run -x\n",
        "run --depth\n",   "run --quiet yes\n", "run\n",          "run --\n",
    };
    char got[128];
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(take(&starter, "java", wrong[i], got, sizeof(got)), -EINVAL);
}

static void what_does_not_measure_is_passed_over(void **state)
{
    char got[128];
    (void)state;
    assert_int_equal(take(&starter, "java",
                          "run --agent x.so\nrun --output /x\nrun --agent=/x.so\nrun -q\n"
                          "run --jfr=/x.jfc\n",
                          got, sizeof(got)),
                     0);
    assert_string_equal(got, "[--quiet]");
    assert_int_equal(
        take(&starter, "java", "run --output a/b\nrun --jfr=profile\n", got, sizeof(got)), 0);
    assert_string_equal(got, "[--output=a/b][--jfr=profile]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_is_an_option_of_its_command),
        cmocka_unit_test(what_is_typed_goes_before_the_file),
        cmocka_unit_test(what_is_no_option_is_refused),
        cmocka_unit_test(what_does_not_measure_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
