/* cli_load.c - of a file what is wanted is read alone. SPDX-License-Identifier: Apache-2.0 */
#include "reading/load.h"
#include <stdio.h>
#include <stdlib.h>
#include "cmocka_all.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"

/* Which kinds of a recording with samples, locks and waits are in the model. */
static uint32_t kinds_read(const char *file, const char *wanted)
{
    char path[4096];
    struct load load;
    uint32_t kinds = 0;
    snprintf(path, sizeof(path), "%s/%s", getenv("TEST_DATA"), file);
    assert_int_equal(
        load_open_series(path, &(struct load_how){0}, wanted ? series_named(wanted) : NULL, &load),
        0);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (profile_sums(load.profile, (enum kind_id)kind)->rows.count > 0)
            kinds |= 1u << kind;
    load_close(&load);
    return kinds;
}

static void of_one_series_nothing_else_is_read(void **state)
{
    (void)state;
    const uint32_t cpu = 1u << KIND_SAMPLE, await = 1u << KIND_AWAIT, enter = 1u << KIND_ENTER;

    assert_int_equal(kinds_read("jfr/jvm.jfr", NULL), cpu);
    assert_int_equal(kinds_read("jfr/jvm.jfr", "cpu"), cpu);
    assert_int_equal(kinds_read("jfr/jvm.jfr", "await") & cpu, 0);
    assert_int_equal(kinds_read("jfr/jvm.jfr", "gc") & (cpu | await | enter), cpu | await | enter);
}

/* Whose first series is another one than that which is tried first. */
static void the_first_series_that_is_there_is_read(void **state)
{
    (void)state;
    assert_int_equal(kinds_read("jfr/spans.jfr", NULL), 1u << KIND_CUSTOM);
    assert_int_equal(kinds_read("jfr/marked.jfr", NULL), 1u << KIND_CUSTOM);
    assert_true(kinds_read("hprof-golden/bin_samples/java.hprof", NULL) & 1u << KIND_SAMPLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_one_series_nothing_else_is_read),
        cmocka_unit_test(the_first_series_that_is_there_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
