/*
 * reading_load.c - of a file, only what is wanted is read; what is wrong with it is told to the
 * caller.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reading/load.h"
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/diag.h"
#include "base/err.h"
#include "cmocka_all.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"

struct told {
    struct diag diag;
    int count, code;
    char text[512];
};

static void keep(struct diag *self, int code, const char *place, const char *text)
{
    struct told *told = (struct told *)self;
    told->count++;
    told->code = code;
    snprintf(told->text, sizeof(told->text), "%s: %s", place, text);
}

static struct told told_nothing(void)
{
    return (struct told){.diag = {.tell = keep}};
}

/* Which kinds of a recording with samples, locks and waits are in the model. */
static uint32_t kinds_read(const char *file, const char *wanted)
{
    char path[4096];
    struct told told = told_nothing();
    struct load load;
    uint32_t kinds = 0;
    snprintf(path, sizeof(path), "%s/%s", getenv("TEST_DATA"), file);
    assert_int_equal(load_open_series(path, &(struct load_how){0},
                                      wanted ? series_named(wanted) : NULL, &told.diag, &load),
                     0);
    assert_int_equal(told.count, 0);
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

static void what_is_wrong_is_told_with_its_place(void **state)
{
    (void)state;
    char path[] = "/tmp/hprof-load-XXXXXX";
    int fd = mkstemp(path);
    struct told told = told_nothing();
    struct load load;

    assert_true(fd >= 0);
    assert_int_equal(load_open(path, &(struct load_how){0}, &told.diag, &load), E_FORMAT);
    load_close(&load);
    assert_int_equal(told.count, 1);
    assert_int_equal(told.code, E_FORMAT);
    assert_ptr_equal(strstr(told.text, path), told.text);
    assert_non_null(strstr(told.text, ": the file is empty"));

    assert_int_equal(write(fd, "no profile", 10), 10);
    assert_int_equal(load_open(path, &(struct load_how){0}, &told.diag, &load), E_FORMAT);
    load_close(&load);
    assert_int_equal(told.count, 2);
    assert_non_null(strstr(told.text, "offset 0: not a profile in any known format"));

    unlink(path);
    assert_int_equal(load_open(path, &(struct load_how){0}, &told.diag, &load), -ENOENT);
    load_close(&load);
    assert_int_equal(told.count, 3);
    assert_int_equal(told.code, -ENOENT);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_one_series_nothing_else_is_read),
        cmocka_unit_test(the_first_series_that_is_there_is_read),
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
