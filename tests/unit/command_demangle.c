/*
 * cli_demangle.c - C++ names as people write them, and names that would take all memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "command/demangle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_shown_as(const char *symbol, const char *expected)
{
    char *owned;
    assert_string_equal(demangle(symbol, &owned), expected);
    free(owned);
}

static void mangled_names_are_shown_as_people_write_them(void **state)
{
    (void)state;
    assert_shown_as("_ZN9JavaCalls4callEP9JavaValue", "JavaCalls::call(JavaValue*)");
    assert_shown_as("_Z1f1AIiiE", "f(A<int, int>)");
}

static void other_names_stay_as_they_are(void **state)
{
    (void)state;
    assert_shown_as("malloc", "malloc");
    assert_shown_as("_Z", "_Z");
    assert_shown_as("_Znot", "_Znot");
}

/* Each further argument A<previous, previous> doubles the text: 33 of them are 400 gigabytes. */
static void a_name_that_multiplies_stays_as_it_is(void **state)
{
    (void)state;
    const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char symbol[1024] = "_Z1f1AIiiE";
    size_t len = strlen(symbol);
    for (int i = 0; i < 33; i++)
        len += (size_t)sprintf(symbol + len, "S_IS%c_S%c_E", digits[i], digits[i]);
    assert_shown_as(symbol, symbol);
}

static void a_name_without_end_stays_as_it_is(void **state)
{
    (void)state;
    size_t len = (size_t)4 << 20;
    char *symbol = malloc(len + 1);
    assert_non_null(symbol);
    memset(symbol, 'P', len);
    memcpy(symbol, "_Z1f", 4);
    symbol[len - 1] = 'i';
    symbol[len] = 0;
    assert_shown_as(symbol, symbol);
    free(symbol);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mangled_names_are_shown_as_people_write_them),
        cmocka_unit_test(other_names_stay_as_they_are),
        cmocka_unit_test(a_name_that_multiplies_stays_as_it_is),
        cmocka_unit_test(a_name_without_end_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
