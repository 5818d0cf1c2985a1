/* format_format.c - the registry of formats. SPDX-License-Identifier: Apache-2.0 */
#include "format/format.h"
#include <string.h>
#include "cmocka_all.h"

static void every_format_is_found_by_its_name_and_has_help_and_functions(void **state)
{
    (void)state;
    assert_non_null(format_all[0]);
    for (const struct format *const *f = format_all; *f; f++) {
        assert_ptr_equal(format_named((*f)->name), *f);
        assert_true(strlen((*f)->help) > 0);
        assert_true((*f)->suffixes[0] == '.');
        const struct reader *r = (*f)->reader;
        const struct writer *w = (*f)->writer;
        assert_true(r || w);
        assert_true(!r || (r->probe && r->open && r->next && r->close));
        assert_true(!w || (w->begin && w->event && w->end));
        assert_int_equal(w && w->moment, writer_can(w, WRITER_TIMES));
    }
    assert_null(format_named("no-such-format"));
}

static const char *probed(const char *bytes, size_t len)
{
    const struct format *f = format_probe((const unsigned char *)bytes, len);
    return f ? f->name : "none";
}

static void the_first_bytes_tell_the_format(void **state)
{
    (void)state;
    static const char text[] = "JAVA PROFILE 1.0.1, created Sat Nov 21 10:27:29 2026\n";
    static const char old[] = "JAVA PROFILE 1.0.1\0\0\0\0\4";
    static const char segmented[] = "JAVA PROFILE 1.0.2\0\0\0\0\4";
    static const char later[] = "JAVA PROFILE 1.0.3\0\0\0\0\4";
    assert_string_equal(probed(text, sizeof(text) - 1), "hprof-text");
    assert_string_equal(probed(old, sizeof(old) - 1), "hprof-binary");
    assert_string_equal(probed(segmented, sizeof(segmented) - 1), "hprof-binary");
    assert_string_equal(probed(later, sizeof(later) - 1), "none");
    assert_string_equal(probed("a;b 1\n", 6), "collapsed");
    assert_string_equal(probed("a;b\n", 4), "none");
    assert_string_equal(probed(text, 10), "none");
    assert_string_equal(probed("", 0), "none");
}

static void the_longest_suffix_of_what_can_be_written_tells_the_format(void **state)
{
    (void)state;
    assert_string_equal(format_for_file("a/b.txt.collapsed")->name, "collapsed");
    assert_string_equal(format_for_file("x.folded")->name, "collapsed");
    assert_null(format_for_file(".folded")); /* a hidden file without a suffix */
    assert_null(format_for_file("x.unknown"));
    assert_null(format_for_file(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_suffix_of_what_can_be_written_tells_the_format),
        cmocka_unit_test(every_format_is_found_by_its_name_and_has_help_and_functions),
        cmocka_unit_test(the_first_bytes_tell_the_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
