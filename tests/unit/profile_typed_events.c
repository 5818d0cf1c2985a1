/*
 * profile_typed_events.c - single events are kept with their fields, and which of too many are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/typed_events.h"
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"
#include "profile/profile.h"

enum { MANY = 8 * TYPED_EVENTS_KEPT + 7 };

static const struct custom_field fields[] = {
    {.name = "path", .label = "Path", .sort = CUSTOM_TEXT},
    {.name = "size", .label = "Size", .sort = CUSTOM_LONG, .unit = CUSTOM_BYTES},
};

static const struct custom_type read_type = {.name = "test.Read",
                                             .label = "Read",
                                             .about = "",
                                             .category = "",
                                             .field_count = 2,
                                             .fields = fields};

static struct profile *begin(struct typed_type **ret_type)
{
    struct profile *p = profile_new(1 << 28);
    assert_non_null(p);
    *ret_type = typed_events_type(profile_typed(p), &read_type, 1u << KIND_AWAIT);
    assert_non_null(*ret_type);
    return p;
}

/* Number N has the size N. */
static void add(struct profile *p, struct typed_type *type, int64_t number, uint64_t duration_ns)
{
    struct typed_event *event =
        typed_events_add(profile_typed(p), type, 1000 + (uint64_t)number, duration_ns);
    if (event)
        event->values[1].number = number;
}

static void types_are_told_apart_by_their_fields(void **state)
{
    struct custom_field other[2];
    struct custom_type type = read_type;
    struct typed_type *first, *second;
    struct profile *p = begin(&first);
    (void)state;
    assert_ptr_not_equal(first->type.name, read_type.name);
    assert_ptr_equal(typed_events_type(profile_typed(p), &read_type, 1u << KIND_AWAIT), first);
    memcpy(other, fields, sizeof(other));
    other[1].unit = CUSTOM_NS;
    type.fields = other;
    second = typed_events_type(profile_typed(p), &type, 1u << KIND_AWAIT);
    assert_string_equal(second->type.name, "test.Read#2");
    assert_ptr_equal(typed_events_type(profile_typed(p), &type, 1u << KIND_AWAIT), second);
    type.name = "test.ReadMore";
    assert_string_equal(typed_events_type(profile_typed(p), &type, 0)->type.name, "test.ReadMore");
    assert_int_equal(typed_events_count(profile_typed(p)), 3);
    assert_int_equal(profile_typed(p)->kinds, 0);
    add(p, first, 7, 0);
    assert_int_equal(profile_typed(p)->kinds, 1u << KIND_AWAIT);
    assert_int_equal(profile_typed(p)->first_ns, 1007);
    profile_free(p);
}

static void of_too_many_moments_those_kept_are_from_all_of_the_time(void **state)
{
    struct typed_type *type;
    struct profile *p = begin(&type);
    int64_t step = 0;
    (void)state;
    for (int64_t i = 0; i < MANY; i++)
        add(p, type, i, 0);
    assert_int_equal(type->count, MANY);
    assert_in_range(type->kept.count, TYPED_EVENTS_KEPT / 2, TYPED_EVENTS_KEPT);
    for (uint32_t i = 2; i <= type->kept.count; i++) {
        int64_t between = typed_events_kept(type, i)->values[1].number -
                          typed_events_kept(type, i - 1)->values[1].number;
        step = step ? step : between;
        assert_int_equal(between, step);
    }
    assert_int_equal(typed_events_kept(type, 1)->values[1].number, 0);
    assert_in_range(typed_events_kept(type, type->kept.count)->values[1].number, MANY - step, MANY);
    assert_int_equal(type->bound_ns, 0);
    profile_free(p);
}

static int descending(const void *left, const void *right)
{
    uint64_t x = *(const uint64_t *)left, y = *(const uint64_t *)right;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Whatever the order in which they come, none that is left out took longer than one that is not. */
static void of_too_many_spans_the_longest_are_kept(void **state)
{
    uint64_t *all = calloc(MANY, sizeof(*all)), mix = 12345;
    struct typed_type *type;
    struct profile *p = begin(&type);
    uint32_t longer = 0;
    (void)state;
    assert_non_null(all);
    for (int64_t i = 0; i < MANY; i++) {
        mix = mix * 6364136223846793005u + 1442695040888963407u;
        all[i] = mix >> 44;
        add(p, type, i, all[i]);
    }
    qsort(all, MANY, sizeof(*all), descending);
    for (uint32_t i = 1; i <= type->kept.count; i++)
        longer += typed_events_kept(type, i)->duration_ns > type->bound_ns;
    assert_in_range(longer, TYPED_EVENTS_KEPT / 4, TYPED_EVENTS_KEPT);
    assert_true(all[longer] <= type->bound_ns && all[longer - 1] > type->bound_ns);
    assert_true(type->bound_ns > 0 && type->count == MANY);
    for (uint32_t i = 2; i <= type->kept.count; i++)
        assert_true(typed_events_kept(type, i - 1)->time_ns < typed_events_kept(type, i)->time_ns);
    free(all);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_told_apart_by_their_fields),
        cmocka_unit_test(of_too_many_moments_those_kept_are_from_all_of_the_time),
        cmocka_unit_test(of_too_many_spans_the_longest_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
