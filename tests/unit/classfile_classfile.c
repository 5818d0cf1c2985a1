/* classfile_classfile.c - reading class files. SPDX-License-Identifier: Apache-2.0 */
#include "classfile/classfile.h"
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/rd.h"
#include "classmaker.h"
#include "cmocka_all.h"

static uint8_t file[4096];
static const uint8_t just_return[] = {0xb1};

static size_t build(struct classmaker m)
{
    m.major = m.major ? m.major : 52;
    m.code = (struct classmaker_part){just_return, 1};
    return classmaker_build(&m, file);
}

/* In memory of its own, so that AddressSanitizer sees one byte too much. */
static int read_copy(size_t len, struct classfile *ret, size_t *ret_at)
{
    struct arena a;
    uint8_t *copy = malloc(len + 1);
    assert_non_null(copy);
    memcpy(copy, file, len);
    arena_init(&a, 1 << 20);
    int error = classfile_read(ret, copy, len, &a, ret_at);
    arena_done(&a);
    free(copy);
    return error;
}

static void names_and_methods_are_found_in_place(void **state)
{
    (void)state;
    struct classfile c;
    struct arena a;
    size_t at;
    size_t len = build((struct classmaker){.name = "run", .desc = "(I)V", .access = 9});
    arena_init(&a, 1 << 20);
    assert_int_equal(classfile_read(&c, file, len, &a, &at), 0);
    assert_true(cpool_utf8_is(c.name, "T"));
    assert_true(cpool_utf8_is(c.super, "java/lang/Object"));
    assert_int_equal(c.major, 52);
    assert_int_equal(c.method_count, 1);
    assert_true(cpool_utf8_is(c.methods[0].name, "run"));
    assert_true(cpool_utf8_is(c.methods[0].desc, "(I)V"));
    assert_int_equal(c.methods[0].access, 9);
    assert_ptr_equal(c.methods[0].code, file + c.methods[0].code_at + 6);
    assert_int_equal(c.methods[0].code_len, 13);
    assert_int_equal(c.methods_end, len - 2);
    arena_done(&a);
}

static void every_cut_is_an_error_with_its_place(void **state)
{
    (void)state;
    size_t len = build((struct classmaker){.has_note = true});
    for (size_t cut = 0; cut < len; cut++) {
        struct classfile c;
        size_t at = SIZE_MAX;
        assert_int_equal(read_copy(cut, &c, &at), E_TRUNCATED);
        assert_true(at <= cut);
    }
}

static void bytes_behind_the_end_are_an_error(void **state)
{
    (void)state;
    struct classfile c;
    size_t at;
    size_t len = build((struct classmaker){0});
    file[len] = 0;
    assert_int_equal(read_copy(len + 1, &c, &at), E_FORMAT);
    assert_int_equal(at, len);
}

static void versions_45_to_70_are_read_and_no_others(void **state)
{
    (void)state;
    struct classfile c;
    size_t at;
    for (uint16_t major = 40; major < 80; major++) {
        size_t len = build((struct classmaker){.major = major});
        int known = major >= 45 && major <= 72;
        assert_int_equal(read_copy(len, &c, &at), known ? 0 : E_UNSUPPORTED);
    }
}

static void an_unknown_constant_is_named_by_its_place(void **state)
{
    (void)state;
    struct classfile c;
    size_t at;
    size_t len = build((struct classmaker){0});
    size_t first = 10; /* behind magic, version and count */
    for (unsigned tag = 0; tag < 256; tag++) {
        static const char known[] = {1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 18, 19, 20};
        file[first] = (uint8_t)tag;
        int error = read_copy(len, &c, &at);
        if (tag != 0 && memchr(known, (int)tag, sizeof(known)))
            continue;
        assert_int_equal(error, E_UNSUPPORTED);
        assert_int_equal(at, first);
    }
}

static void long_constants_take_two_indices(void **state)
{
    (void)state;
    struct cpool p = {0};
    static const uint8_t bytes[] = {0, 4, 5, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 'x'};
    struct rd r;
    struct arena a;
    struct cpool_utf8 u;
    arena_init(&a, 1 << 20);
    rd_init(&r, bytes, sizeof(bytes));
    assert_int_equal(cpool_read(&p, &r, &a), 0);
    assert_int_equal(r.pos, sizeof(bytes));
    assert_int_equal(cpool_tag_of(&p, 1), CPOOL_LONG);
    assert_int_equal(cpool_tag_of(&p, 2), 0);
    assert_true(cpool_utf8_at(&p, 3, &u));
    assert_true(cpool_utf8_is(u, "x"));
    assert_int_equal(cpool_tag_of(&p, 4), 0);
    arena_done(&a);
}

static bool has_nan(const uint8_t *bytes, size_t len)
{
    struct cpool p = {0};
    struct rd r;
    struct arena a;
    arena_init(&a, 1 << 20);
    rd_init(&r, bytes, len);
    assert_int_equal(cpool_read(&p, &r, &a), 0);
    bool found = cpool_has_nan(&p);
    arena_done(&a);
    return found;
}

static void constants_that_are_no_numbers_are_found(void **state)
{
    (void)state;
    static const uint8_t infinities[] = {0, 5, 4,    0xff, 0x80, 0, 0, 4, 0x7f, 0x80, 0,
                                         0, 6, 0x7f, 0xf0, 0,    0, 0, 0, 0,    0};
    static const uint8_t a_float[] = {0, 2, 4, 0xff, 0xc0, 0, 0};
    static const uint8_t a_double[] = {0, 3, 6, 0x7f, 0xf0, 0, 0, 0, 0, 0, 1};
    static const uint8_t a_long[] = {0, 3, 5, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0};

    assert_false(has_nan(infinities, sizeof(infinities)));
    assert_true(has_nan(a_float, sizeof(a_float)));
    assert_true(has_nan(a_double, sizeof(a_double)));
    assert_false(has_nan(a_long, sizeof(a_long)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_methods_are_found_in_place),
        cmocka_unit_test(every_cut_is_an_error_with_its_place),
        cmocka_unit_test(bytes_behind_the_end_are_an_error),
        cmocka_unit_test(versions_45_to_70_are_read_and_no_others),
        cmocka_unit_test(an_unknown_constant_is_named_by_its_place),
        cmocka_unit_test(long_constants_take_two_indices),
        cmocka_unit_test(constants_that_are_no_numbers_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
