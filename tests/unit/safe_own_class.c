/* safe_own_class.c - which classes are the agent's own. SPDX-License-Identifier: Apache-2.0 */
#define OWN_LIBRARY "libunit"
#include "safe/own_class.h"
#include <stdbool.h>
#include <string.h>
#include "cmocka_all.h"

static bool is_own(const char *name)
{
    return own_class_is(name, strlen(name));
}

static void a_class_named_by_the_macro_is_known_in_both_spellings(void **state)
{
    (void)state;
    assert_true(is_own(OWN_CLASS("Alloc")));
    assert_string_equal(OWN_CLASS("Alloc"), "java/lang/Hprof_libunit_Alloc");
    assert_true(is_own("java.lang.Hprof_libhprof_Alloc"));
    assert_true(is_own("java/lang/HprofAlloc"));
    assert_true(is_own("java.lang.HprofAlloc"));
}

static void a_class_of_the_program_is_not(void **state)
{
    static const char *const others[] = {"",
                                         "java/lang/Object",
                                         "java/lang/Hpro",
                                         "Hprof",
                                         "com/java/lang/Hprof1",
                                         "java/lang/reflect/Hprof1",
                                         "javaxlang/HprofAlloc"};
    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(is_own(others[i]));
}

static void a_name_that_is_cut_is_not_read_behind_its_end(void **state)
{
    (void)state;
    assert_false(own_class_is("java/lang/HprofAlloc", sizeof("java/lang/Hprof") - 2));
    assert_true(own_class_is("java/lang/HprofAlloc", sizeof("java/lang/Hprof") - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_named_by_the_macro_is_known_in_both_spellings),
        cmocka_unit_test(a_class_of_the_program_is_not),
        cmocka_unit_test(a_name_that_is_cut_is_not_read_behind_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
