/*
 * profile_context.c - contexts are interned, and their number is bounded.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include <stdio.h>
#include "profile/context.h"
#include "profile/profile.h"
#include "profile/sums.h"

static void contexts_are_interned_by_their_values(void **state)
{
    struct profile *p = profile_new(1 << 20);
    struct context_set *s = profile_contexts(p);
    string_id user = profile_cstring(p, "user"), alice = profile_cstring(p, "alice");
    int key = context_add_key(s, user, 0);
    struct context_row row = {{0}};
    assert_int_equal(context_of(s, &row), 0);
    assert_int_equal(context_value(s, 0, key), 0);
    row.value[key] = alice;
    context_id id = context_of(s, &row);
    assert_int_not_equal(id, 0);
    assert_int_equal(context_of(s, &row), id);
    assert_int_equal(context_value(s, id, key), alice);
    assert_int_equal(context_value(s, id, context_find_key(s, alice)), 0);
    row.value[key] = user;
    assert_int_not_equal(context_of(s, &row), id);
    assert_int_equal(context_add_key(s, user, alice), key);
    profile_free(p);
}

static void sums_tell_contexts_apart(void **state)
{
    struct profile *p = profile_new(1 << 20);
    struct context_row row = {{profile_cstring(p, "alice")}};
    struct event e = {.kind = KIND_SAMPLE, .trace = 1, .value = {3}};
    assert_int_equal(profile_count(p, &e), 0);
    e.context = context_of(profile_contexts(p), &row);
    assert_int_equal(profile_count(p, &e), 0);
    assert_int_equal(profile_count(p, &e), 0);
    assert_int_equal(profile_sums(p, KIND_SAMPLE)->rows.count, 2);
    assert_int_equal(profile_sum_of(p, KIND_SAMPLE, 1)->value[0], 3);
    profile_free(p);
}

static void what_finds_no_room_is_counted(void **state)
{
    struct profile *p = profile_new(64 << 20);
    struct context_set *s = profile_contexts(p);
    struct context_row row = {{0}};
    char name[16];
    for (int i = 0; i < CONTEXT_KEYS + 1; i++) {
        snprintf(name, sizeof(name), "key%d", i);
        assert_int_equal(context_add_key(s, profile_cstring(p, name), 0),
                         i < CONTEXT_KEYS ? i : -1);
    }
    for (uint32_t i = 1; i <= CONTEXT_ROWS_MAX; i++) {
        row.value[0] = i;
        assert_int_equal(context_of(s, &row), i);
    }
    assert_int_equal(s->lost, 0);
    assert_int_equal(context_find(s, &row), CONTEXT_ROWS_MAX);
    row.value[1] = 1;
    assert_int_equal(context_find(s, &row), 0);
    assert_int_equal(s->lost, 0); /* a search is no loss */
    assert_int_equal(context_of(s, &row), 0);
    assert_int_equal(s->lost, 1);
    assert_int_equal(context_find(s, &(struct context_row){{0}}), 0);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_are_interned_by_their_values),
        cmocka_unit_test(sums_tell_contexts_apart),
        cmocka_unit_test(what_finds_no_room_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
