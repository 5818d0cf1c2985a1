/*
 * base_javaname.c - class loaders as texts, and the texts as their parts.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/javaname.h"
#include <string.h>
#include "cmocka_all.h"

static void must_be(const char *name, const char *type, const char *text)
{
    char made[64];
    javaname_join_loader(name, type, made, sizeof(made));
    assert_string_equal(made, text);
    struct javaname_loader parts = javaname_split_loader(text, strlen(text));
    assert_int_equal(parts.name_len, strlen(name));
    assert_int_equal(parts.type_len, strlen(type));
    assert_memory_equal(parts.name_len ? parts.name : "", name, strlen(name));
    assert_memory_equal(parts.type_len ? parts.type : "", type, strlen(type));
}

static void a_text_has_name_and_class(void **state)
{
    (void)state;
    must_be("app", "a.b.Loader", "app (a.b.Loader)");
    must_be("", "a.b.Loader", "a.b.Loader");
    must_be("an (odd) one", "A", "an (odd) one (A)");
    must_be("bootstrap", "", "bootstrap");
}

static void the_vms_own_has_neither(void **state)
{
    (void)state;
    char made[64];
    javaname_join_loader("", "", made, sizeof(made));
    assert_string_equal(made, "bootstrap");
}

static void what_is_no_such_text_is_a_class(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "(", ")", "()", " (", "(A)", "A(B)x", "bootstraps"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct javaname_loader parts = javaname_split_loader(texts[i], strlen(texts[i]));
        assert_int_equal(parts.name_len, 0);
        assert_int_equal(parts.type_len, strlen(texts[i]));
    }
}

static void a_text_is_cut(void **state)
{
    (void)state;
    char made[8];
    javaname_join_loader("app", "a.b.Loader", made, sizeof(made));
    assert_string_equal(made, "app (a.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_has_name_and_class),
        cmocka_unit_test(the_vms_own_has_neither),
        cmocka_unit_test(what_is_no_such_text_is_a_class),
        cmocka_unit_test(a_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
