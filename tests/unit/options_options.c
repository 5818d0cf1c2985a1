/*
 * options_options.c - what the original agent said to odd option strings, and the options that are
 * new.
 *
 * golden-corpus/option_errors.txt and option_words.txt are its recorded answers; tests/jdk starts
 * JVMs with a handful of them. SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "options/options.h"
#include "options/options_scope.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "testfile.h"

static struct options options;
static struct options_error why;

static const char *parse(const char *line, const char *environment)
{
    int error = options_parse(line, environment, &options, &why);

    assert_int_equal(error != 0, why.text[0] != '\0');
    return why.text;
}

/* `from` with each `c{N}` written as N times c; free() it. */
static char *expanded(const char *from)
{
    enum { ROOM = 2 * OPTIONS_VALUE };
    char *text = malloc(ROOM), *end;
    size_t n = 0;

    assert_non_null(text);
    for (; *from; from++) {
        size_t times = from[1] == '{' ? strtoul(from + 2, &end, 10) : 1;

        assert_true(n + times < ROOM);
        memset(text + n, *from, times);
        n += times;
        if (from[1] == '{')
            from = end;
    }
    text[n] = '\0';
    return text;
}

/* status TAB words TAB command line [TAB environment] */
static void assert_answer(char *row)
{
    const char *status = strsep(&row, "\t"), *words = strsep(&row, "\t");
    char *line = expanded(strsep(&row, "\t")), *environment = row ? expanded(row) : NULL;

    if (strcmp(parse(line, environment), words) != 0)
        fail_msg("'%s' '%s': '%s' and not '%s'", line, environment ? environment : "", why.text,
                 words);
    assert_int_equal(atoi(status), !words[0] ? 0 : options.errorexit ? 9 : 1);
    free(line);
    free(environment);
}

static void refusals_have_the_words_of_the_original(void **state)
{
    size_t len;
    char *text = testfile_read("golden-corpus/option_words.txt", &len), *at = text, *row;
    int rows = 0;

    (void)state;
    while ((row = strsep(&at, "\n")) && *row) {
        assert_answer(row);
        rows++;
    }
    assert_int_equal(rows, 122);
    free(text);
}

/* Ours refuses these with words of its own, or where the original only fails later. */
static const char *own_words(const char *line)
{
    static const char *const rows[][2] = {
        {"net=localhost:0", "net option port must be from 1 to 65535"},
        {"net=localhost:99999", "net option port must be from 1 to 65535"},
        {"depth=99999999999", "depth option value must be 8192 at most"},
        {"net=nosuchhost.invalid:5", ""},
        {"file=/nonexistent/x.txt", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i][0], line) == 0)
            return rows[i][1];
    return NULL;
}

/* [opt_01] 'LINE' rc=1 OUT:  ERR: HPROF ERROR: hprof option error: WORDS (LINE) [...]| FILES: */
static void assert_recorded(char *row)
{
    static const char error[] = "HPROF ERROR: hprof option error: ";
    char *line = strchr(row, '\'') + 1, *rest = strstr(line, "' rc="), *said;
    const char *words = "", *own;
    int status = atoi(rest + 5);

    *rest++ = '\0';
    own = own_words(line);
    said = strstr(rest, error);
    if (said) {
        char tail[128];

        words = said + sizeof error - 1;
        snprintf(tail, sizeof tail, " (%s) [", line);
        assert_non_null(strstr(words, tail));
        *strstr(words, tail) = '\0';
    }
    if (strcmp(parse(line, NULL), own ? own : words) != 0)
        fail_msg("'%s': '%s' and not '%s'", line, why.text, own ? own : words);
    assert_true(own || status == (!said ? 0 : options.errorexit ? 9 : 1));
    if (status == 0 && !strstr(line, "cpu=") && !strstr(line, "heap="))
        assert_true(options.heap_dump && options.heap_sites);
}

static void the_recorded_rows_are_answered_as_in_the_original(void **state)
{
    size_t len;
    char *text = testfile_read("golden-corpus/option_errors.txt", &len), *at = text, *row;
    int rows = 0;

    (void)state;
    while ((row = strsep(&at, "\n")) && *row) {
        assert_recorded(row);
        rows++;
    }
    assert_int_equal(rows, 57);
    free(text);
}

static void what_is_asked_for_together_is_all_measured(void **state)
{
    (void)state;
    parse("heap=sites,heap=dump,cpu=samples,cpu=times,monitor=y", NULL);
    assert_true(options.heap_sites && options.heap_dump && options.cpu_samples && options.monitor);
    assert_int_equal(options.cpu_table, OPTIONS_TIMES);
    parse("cpu=samples", NULL);
    assert_false(options.heap_sites || options.heap_dump || options.monitor);
    parse("cpu=times,cpu=old,depth=2,depth=3", NULL);
    assert_int_equal(options.cpu_table, OPTIONS_OLD);
    assert_int_equal(options.depth, 3);
}

static void numbers_are_read_as_the_c_library_reads_them(void **state)
{
    (void)state;
    parse("cpu=samples,depth=+3,interval= +5,cutoff=0x1p-4", NULL);
    assert_int_equal(options.depth, 3);
    assert_int_equal(options.interval_ns, 5000000);
    assert_true(options.cutoff == 0.0625);
    parse("cpu=samples,cutoff=nan,X=0x10,logflags=zz", NULL);
    assert_true(isnan(options.cutoff));
    assert_int_equal(options.xflags, 16);
    assert_int_equal(options.logflags, 0);
}

static void an_interval_has_a_unit(void **state)
{
    static const struct {
        const char *line;
        uint64_t ns;
    } rows[] = {
        {"interval=20", 20000000},    {"interval=500us", 500000}, {"interval=1ms", 1000000},
        {"interval=2s", 2000000000u}, {"interval=10us", 10000},
    };
    static const char decimal[] = "interval option value must be decimal and > 0";
    static const char *const refused[][2] = {
        {"interval=0.5", decimal},
        {"interval=0us", decimal},
        {"interval=5h", decimal},
        {"interval=ms", decimal},
        {"interval=1us", "interval option value must be 10us at least"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(parse(rows[i].line, NULL), "");
        assert_int_equal(options.interval_ns, rows[i].ns);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_string_equal(parse(refused[i][0], NULL), refused[i][1]);
    assert_non_null(strstr(parse("interval=9999ns", NULL), "interval option value must be "));
}

static void new_options_are_checked_like_the_old_ones(void **state)
{
    static const char *const rows[][2] = {
        {"engine=", "syntax error parsing engine=name"},
        {"walker=", "syntax error parsing walker=name"},
        {"signal=", "syntax error parsing signal=name"},
        {"clock=", "syntax error parsing clock=name"},
        {"manifest=", "syntax error parsing manifest=filename"},
        {"mem=", "syntax error parsing mem=size"},
        {"mem=1k", "mem option value must be a size from 1m to 64g"},
        {"mem=65g", "mem option value must be a size from 1m to 64g"},
        {"sample=2g", "sample option value must be a size below 2g"},
        {"idsize=5", "idsize option value must be 4|8"},
        {"expand=maybe", "expand option value must be y|n"},
        {"intrinsics=all", "intrinsics option value must be leave|count"},
        {"selftest=y", "Unknown option: selftest"},
        {"dumptest=1", "Unknown option: dumptest"},
        {"dumpstuck=1", "Unknown option: dumpstuck"},
        {"timesboth=y", "Unknown option: timesboth"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(parse(rows[i][0], NULL), rows[i][1]);
}

/* What options_scope_idle() finds: "native<cpu=samples fork<heap=dump". */
static const char *idle(const char *line)
{
    static char text[256];
    struct options_scope rows[OPTIONS_SCOPE_MAX];
    int count;

    assert_string_equal(parse(line, NULL), "");
    count = options_scope_idle(&options, rows);
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        sprintf(text + strlen(text), "%s%s<%s", i ? " " : "", rows[i].name, rows[i].needed);
    return text;
}

static void a_new_option_without_effect_is_found(void **state)
{
    (void)state;
    assert_string_equal(idle("cpu=samples,include=Hello"), "include<cpu=times");
    assert_string_equal(idle("cpu=old,native=y,fork=n"), "native<cpu=samples fork<heap=dump");
    assert_string_equal(idle("heap=sites,walker=vm,gc=n,sample=1k"), "walker<cpu=samples");
    assert_string_equal(idle("monitor=y,sample=1k"), "sample<heap=sites");
    assert_string_equal(idle("cpu=times,heap=dump,sample=1k,live=n,clock=tsc"), "");
    assert_string_equal(idle("cpu=samples,raw=n,live=y,cutoff=0.1"), "");
}

static void ids_have_eight_bytes_in_a_large_heap_unless_told(void **state)
{
    (void)state;
    parse("heap=dump", NULL);
    assert_int_equal(options_id_bytes(&options, 0), 4);
    assert_int_equal(options_id_bytes(&options, 1), 8);
    parse("heap=dump,idsize=4", NULL);
    assert_int_equal(options_id_bytes(&options, 1), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_have_the_words_of_the_original),
        cmocka_unit_test(the_recorded_rows_are_answered_as_in_the_original),
        cmocka_unit_test(what_is_asked_for_together_is_all_measured),
        cmocka_unit_test(numbers_are_read_as_the_c_library_reads_them),
        cmocka_unit_test(an_interval_has_a_unit),
        cmocka_unit_test(new_options_are_checked_like_the_old_ones),
        cmocka_unit_test(a_new_option_without_effect_is_found),
        cmocka_unit_test(ids_have_eight_bytes_in_a_large_heap_unless_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
