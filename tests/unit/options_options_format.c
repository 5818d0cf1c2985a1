/*
 * options_options_format.c - which format can hold what is measured.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "options/options_format.h"
#include <string.h>
#include "base/err.h"
#include "format/format.h"
#include "options/options_group.h"
#include "options/options_parse.h"

/* Why a line is refused; "": it is not. */
static const char *refused(const char *line)
{
    static struct options_error why;
    struct options options;
    int error = options_parse(line, NULL, &options, &why);
    options_done(&options);
    assert_int_equal(error, why.text[0] ? E_SYNTAX : 0);
    return why.text;
}

static void a_format_can_hold_what_its_writer_takes(void **state)
{
    (void)state;
    for (const struct options_format *f = options_format_all; f->letter; f++) {
        const struct format *format = format_named(f->name);
        assert_non_null(format);
        assert_ptr_equal(options_format_of(f->letter), f);
        if (format->writer)
            assert_int_equal(format->writer->kinds, f->kinds);
        else
            assert_string_equal(f->name, "jfr"); /* the command only reads it */
    }
}

static void a_suffix_of_a_file_means_the_format_that_has_it(void **state)
{
    (void)state;
    assert_string_equal(options_format_of_file("a/b.jfr")->name, "jfr");
    assert_string_equal(options_format_of_file("x.folded")->name, "collapsed");
    assert_string_equal(options_format_of_file("x.htm")->name, "flamegraph");
    assert_null(options_format_of_file("x.txt"));
    assert_null(options_format_of_file(".jfr"));
    assert_null(options_format_of_file(""));
}

static void what_a_format_cannot_hold_is_refused_by_its_words(void **state)
{
    (void)state;
    assert_string_equal(refused("event=gc,format=b"), "event=gc is not supported with format=b");
    assert_string_equal(refused("event=load,format=b"),
                        "event=load is not supported with format=b");
    assert_string_equal(refused("event=thrown,format=b"),
                        "event=exception|thrown is not supported with format=b");
    assert_string_equal(refused("cpu=old,format=b"),
                        "cpu=times|old is not supported with format=b");
    assert_string_equal(refused("event=monitor,format=b"),
                        "monitor=y is not supported with format=b");
    assert_string_equal(refused("event=histo,format=b"),
                        "heap=histo is not supported with format=b");
    assert_string_equal(refused("event=custom"), "event=custom is for JFR: file=x.jfr");
    assert_string_equal(refused("event=custom,file=x.html"), "event=custom is for JFR: file=x.jfr");
    assert_string_equal(refused("heap=dump,file=x.html"),
                        "heap=dump is not supported with format=html");
}

static void what_a_format_can_hold_is_not_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {"cpu=samples,format=b",
                                        "heap=sites,format=b",
                                        "event=alloc,format=b",
                                        "heap=dump,format=b",
                                        "event=gc",
                                        "event=gc,file=x.jfr",
                                        "event=lock,file=x.htm",
                                        "event=custom,file=x.jfr"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_string_equal(refused(lines[i]), "");
}

/* A group that names no kinds is never refused, so each one that measures events must. */
static void each_group_that_counts_moments_names_its_kinds(void **state)
{
    (void)state;
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_group *g = options_group_all[i];
        if (g->asks && g->marks && g->marks(g->asks->value, g->defaults) & OPTIONS_MARK_MOMENTS)
            assert_int_not_equal(g->kinds, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_format_can_hold_what_its_writer_takes),
        cmocka_unit_test(a_suffix_of_a_file_means_the_format_that_has_it),
        cmocka_unit_test(what_a_format_cannot_hold_is_refused_by_its_words),
        cmocka_unit_test(what_a_format_can_hold_is_not_refused),
        cmocka_unit_test(each_group_that_counts_moments_names_its_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
