/* base_err.c - the error list. SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include <errno.h>
#include <string.h>
#include "cmocka_all.h"

static void our_codes_never_meet_those_of_the_system(void **state)
{
    (void)state;
    assert_int_equal(E_OK, 0);
    assert_true(E_TRUNCATED < -4095);
    assert_true(E_FACT_MISSING < E_TRUNCATED);
}

static void each_of_our_codes_has_its_text(void **state)
{
    (void)state;
    assert_string_equal(err_text(E_OK), "no error");
    assert_string_equal(err_text(E_TRUNCATED), "the data ends in the middle of a record");
    assert_string_equal(err_text(E_FACT_MISSING), "a fact about this virtual machine is missing");
}

static void an_errno_has_the_text_of_the_system(void **state)
{
    (void)state;
    assert_string_equal(err_text(-ENOSPC), strerror(ENOSPC));
}

static void an_unknown_code_has_a_text_that_names_it(void **state)
{
    (void)state;
    assert_non_null(strstr(err_text(-99999), "-99999"));
    assert_non_null(strstr(err_text(-10000), "-10000"));
    assert_non_null(strstr(err_text(7), "7"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_codes_never_meet_those_of_the_system),
        cmocka_unit_test(each_of_our_codes_has_its_text),
        cmocka_unit_test(an_errno_has_the_text_of_the_system),
        cmocka_unit_test(an_unknown_code_has_a_text_that_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
