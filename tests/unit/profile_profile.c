/* profile_profile.c - the profile model. SPDX-License-Identifier: Apache-2.0 */
#include "profile/moments.h"
#include "profile/profile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"
#include "samples.h"

static int setup(void **state)
{
    *state = profile_new(16 << 20);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    profile_free(*state);
    return 0;
}

static frame_id a_frame(struct profile *p, const char *klass, const char *name, int32_t line)
{
    class_id c = profile_class_named(p, profile_cstring(p, klass));
    return profile_frame(p, profile_method(p, c, profile_cstring(p, name), 0, 0), -1, line);
}

static void a_new_model_holds_the_empty_system_trace(void **state)
{
    struct profile *p = *state;
    assert_int_equal(profile_trace_count(p), 1);
    assert_int_equal(profile_trace_at(p, 1)->depth, 0);
    assert_int_equal(profile_trace(p, 0, NULL, 0), 1);
    assert_int_equal(profile_lost(p), 0);
}

static void equal_strings_are_one_row_and_bytes_may_be_anything(void **state)
{
    struct profile *p = *state;
    string_id a = profile_cstring(p, "java.lang.String");
    assert_int_equal(profile_string(p, "java.lang.StringBuilder", 16), a);
    assert_int_not_equal(profile_cstring(p, "java.lang.Strin"), a);
    assert_string_equal(profile_string_at(p, a)->bytes, "java.lang.String");
    string_id odd = profile_string(p, "a\0b", 3);
    assert_int_not_equal(odd, profile_string(p, "a\0c", 3));
    assert_int_equal(profile_string_at(p, odd)->len, 3);
    assert_int_not_equal(profile_cstring(p, ""), 0);
    assert_int_equal(profile_cstring(p, ""), profile_string(p, NULL, 0));
}

static void two_classes_of_one_name_are_two_and_the_first_is_found_by_name(void **state)
{
    struct profile *p = *state;
    string_id name = profile_cstring(p, "Foo");
    class_id first = profile_add_class(p, name);
    class_id second = profile_add_class(p, name);
    assert_int_not_equal(first, second);
    assert_int_equal(profile_class_named(p, name), first);
    assert_int_equal(profile_class_named(p, profile_cstring(p, "Bar")), second + 1);
}

static void methods_and_frames_are_interned_by_all_their_values(void **state)
{
    struct profile *p = *state;
    method_id m = profile_method(p, 1, 2, 3, 4);
    assert_int_equal(profile_method(p, 1, 2, 3, 4), m);
    assert_int_not_equal(profile_method(p, 1, 2, 3, 0), m);
    frame_id f = profile_frame(p, m, 7, 70000);
    assert_int_equal(profile_frame(p, m, 7, 70000), f);
    assert_int_not_equal(profile_frame(p, m, 8, 70000), f);
    assert_int_not_equal(profile_frame(p, m, 7, -1), f);
    assert_int_equal(profile_frame_at(p, f)->line, 70000);
}

static void traces_differ_by_frames_and_thread(void **state)
{
    struct profile *p = *state;
    frame_id stack[] = {a_frame(p, "A", "a", 1), a_frame(p, "B", "b", 2)};
    trace_id both = profile_trace(p, 0, stack, 2);
    assert_int_equal(profile_trace(p, 0, stack, 2), both);
    trace_id top = profile_trace(p, 0, stack, 1);
    assert_int_not_equal(top, both);
    thread_id thread = profile_add_thread(p, 200001, 0, 0, 0, 0);
    assert_int_not_equal(profile_trace(p, thread, stack, 2), both);
    assert_int_equal(profile_trace_at(p, both)->frames[1], stack[1]);
}

static void a_trace_that_a_reader_adds_is_a_row_of_its_own(void **state)
{
    struct profile *p = *state;
    frame_id stack[] = {a_frame(p, "A", "a", 1)};
    trace_id first = profile_add_trace(p, 0, stack, 1), second = profile_add_trace(p, 0, stack, 1);
    assert_int_not_equal(first, second);
    assert_int_equal(profile_trace_at(p, second)->depth, 1);
    assert_int_equal(profile_trace(p, 0, stack, 1), second + 1);
}

static void an_attachment_is_found_by_the_name_of_its_format_alone(void **state)
{
    struct profile *p = *state;
    int attachment;
    assert_null(profile_attachment(p, "a"));
    profile_attach(p, "a", &attachment);
    assert_ptr_equal(profile_attachment(p, "a"), &attachment);
    assert_null(profile_attachment(p, "b"));
    profile_lose(p);
    assert_int_equal(profile_lost(p), 1);
}

static void threads_are_found_by_serial(void **state)
{
    struct profile *p = *state;
    string_id name = profile_cstring(p, "main");
    thread_id t = profile_add_thread(p, 200001, 0x50000001, name, name, 0);
    assert_int_equal(profile_thread_by_serial(p, 200001), t);
    assert_int_equal(profile_thread_by_serial(p, 200002), 0);
    assert_int_equal(profile_thread_at(p, t)->ended, 0);
    profile_end_thread(p, t);
    assert_int_equal(profile_thread_at(p, t)->ended, 1);
    assert_int_equal(profile_thread_count(p), 1);
}

static void quality_counts_keep_the_order_of_their_first_setting(void **state)
{
    struct profile *p = *state;
    char again[] = "samples";
    profile_set_quality(p, "samples", 1);
    profile_set_quality(p, "lost", 2);
    profile_set_quality(p, again, 3);
    uint32_t count;
    const struct profile_quality *rows = profile_quality(p, &count);
    assert_int_equal(count, 2);
    assert_string_equal(rows[0].name, "samples");
    assert_int_equal(rows[0].count, 3);
    assert_string_equal(rows[1].name, "lost");
}

static void a_model_out_of_budget_counts_its_losses_and_keeps_what_it_has(void **state)
{
    (void)state;
    struct profile *p = profile_new(1 << 20);
    assert_non_null(p);
    uint32_t refused = 0;
    trace_id last = 1;
    for (int i = 0; i < 100000; i++) {
        char name[32];
        snprintf(name, sizeof(name), "method%d", i);
        frame_id f = a_frame(p, "A", name, i);
        trace_id t = f ? profile_trace(p, 0, &f, 1) : 0;
        if (t == 0)
            refused++;
        else if (!profile_sum_of(p, KIND_SAMPLE, t) && samples_add(p, t, 1) == 0)
            last = t;
    }
    assert_true(refused > 0);
    assert_true(profile_lost(p) >= refused);
    assert_in_range(profile_bytes(p), (1 << 20) * 3 / 4, 1 << 20);
    assert_true(last > 1000);
    frame_id of_last = profile_trace_at(p, last)->frames[0];
    assert_int_equal(profile_trace(p, 0, &of_last, 1), last);
    uint64_t before = samples_all(p);
    assert_int_equal(samples_add(p, last, 1), 0); /* a row that is there needs no room */
    assert_int_equal(samples_all(p), before + 1);
    profile_free(p);
}

/* What files leave open, and whoever shows objects looks up without asking. */
static void objects_of_no_class_get_an_unknown_one(void **state)
{
    (void)state;
    static const enum kind_id kinds[] = {KIND_SITE, KIND_HISTO, KIND_LIVE_HISTO};
    struct profile *p = profile_new(1 << 20);
    assert_non_null(p);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        struct event event = {.kind = kinds[i], .trace = 1, .time_ns = 5, .value = {8, 1}};
        assert_int_equal(profile_count(p, &event), 0);
        assert_int_equal(profile_count_at(p, &event), 0);
        const struct sums *sums = profile_sums(p, kinds[i]);
        assert_int_equal(sums->rows.count, 1);
        assert_int_equal(sums_at(sums, 1)->value[1], 2);
        assert_string_equal(
            profile_string_at(p, profile_class_at(p, sums_at(sums, 1)->klass)->name)->bytes,
            "unknown");
    }
    assert_int_equal(profile_moments(p)->count, 3);
    profile_free(p);
}

/* Two classes that no name tells apart. */
static void a_class_without_a_name_is_called_unknown(void **state)
{
    struct profile *p = *state;
    class_id first = profile_add_class(p, 0), second = profile_add_class(p, 0);
    assert_int_not_equal(first, second);
    assert_int_equal(profile_class_named(p, 0), first);
    assert_int_equal(profile_class_named(p, profile_cstring(p, "unknown")), first);
    assert_string_equal(profile_string_at(p, profile_class_at(p, second)->name)->bytes, "unknown");
}

static void a_budget_without_room_for_one_row_opens_no_model(void **state)
{
    (void)state;
    assert_null(profile_new(0));
    assert_null(profile_new(4096));
    profile_free(NULL);
}

#define WITH_MODEL(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void what_there_was_no_room_for_has_an_empty_name(void **state)
{
    struct profile *p = profile_new(1 << 20);
    (void)state;
    assert_string_equal(profile_string_at(p, 0)->bytes, "");
    assert_int_equal(profile_string_at(p, 0)->len, 0);
    assert_int_equal(profile_class_at(p, profile_method_at(p, 0)->klass)->name, 0);
    assert_int_equal(profile_frame_at(p, 0)->method, 0);
    assert_int_equal(profile_thread_at(p, profile_trace_at(p, 0)->thread)->name, 0);
    assert_int_equal(profile_trace_at(p, 0)->depth, 0);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MODEL(a_new_model_holds_the_empty_system_trace),
        WITH_MODEL(equal_strings_are_one_row_and_bytes_may_be_anything),
        WITH_MODEL(two_classes_of_one_name_are_two_and_the_first_is_found_by_name),
        WITH_MODEL(methods_and_frames_are_interned_by_all_their_values),
        WITH_MODEL(traces_differ_by_frames_and_thread),
        WITH_MODEL(a_trace_that_a_reader_adds_is_a_row_of_its_own),
        WITH_MODEL(an_attachment_is_found_by_the_name_of_its_format_alone),
        WITH_MODEL(threads_are_found_by_serial),
        WITH_MODEL(quality_counts_keep_the_order_of_their_first_setting),
        cmocka_unit_test(what_there_was_no_room_for_has_an_empty_name),
        cmocka_unit_test(a_model_out_of_budget_counts_its_losses_and_keeps_what_it_has),
        cmocka_unit_test(objects_of_no_class_get_an_unknown_one),
        WITH_MODEL(a_class_without_a_name_is_called_unknown),
        cmocka_unit_test(a_budget_without_room_for_one_row_opens_no_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
