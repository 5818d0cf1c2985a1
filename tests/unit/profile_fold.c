/* profile_fold.c - a smaller profile of the same samples. SPDX-License-Identifier: Apache-2.0 */
#include "profile/fold.h"
#include "profile/quality.h"
#include <stdio.h>
#include <string.h>
#include "cmocka_all.h"
#include "samples.h"

enum { TRACES = 3000, BUDGET = 16 << 20 };

/* Trace i has i samples; every third is of a thread. */
static struct profile *make_profile(void)
{
    struct profile *p = profile_new(BUDGET);
    thread_id thread =
        profile_add_thread(p, 200001, 7, profile_cstring(p, "main"), profile_cstring(p, "g"), 0);
    for (uint32_t i = 1; i <= TRACES; i++) {
        char text[64];
        snprintf(text, sizeof(text), "p.C%u", i);
        string_id name = profile_cstring(p, text);
        method_id m =
            profile_method(p, profile_class_named(p, name), profile_cstring(p, "m"), 0, name);
        frame_id frames[] = {profile_frame(p, m, 3, (int32_t)i), profile_frame(p, m, -1, 7)};
        samples_add(p, profile_trace(p, i % 3 == 0 ? thread : 0, frames, 2), i);
    }
    profile_set_quality(p, "lost", 12);
    return p;
}

static const char *class_of(struct profile *p, trace_id trace)
{
    const struct profile_trace *t = profile_trace_at(p, trace);
    const struct profile_method *m =
        profile_method_at(p, profile_frame_at(p, t->frames[0])->method);
    return profile_string_at(p, m->klass ? profile_class_at(p, m->klass)->name : m->name)->bytes;
}

static uint64_t quality_of(struct profile *p, const char *name)
{
    uint32_t count;
    const struct profile_quality *rows = profile_quality(p, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].count;
    return 0;
}

static void the_largest_stay_and_the_others_are_one(void **state)
{
    (void)state;
    struct profile *p = make_profile(), *q = fold_smallest(p, BUDGET, profile_bytes(p) / 2);
    const struct sums *sums = profile_sums(q, KIND_SAMPLE);
    uint64_t all = samples_all(p), rest = 0;
    profile_free(p);
    assert_non_null(q);
    assert_int_equal(sums->total[0], all);
    assert_true(sums->rows.count > 100 && sums->rows.count < TRACES);
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        const struct sum *s = sums_at(sums, i);
        unsigned n = 0;
        if (strcmp(class_of(q, s->trace), FOLD_FRAME) == 0) {
            rest = s->value[0];
            continue;
        }
        assert_int_equal(sscanf(class_of(q, s->trace), "p.C%u", &n), 1);
        assert_int_equal(s->value[0], n);
        assert_true(n > TRACES - sums->rows.count);
        assert_int_equal(profile_trace_at(q, s->trace)->thread != 0, n % 3 == 0);
        assert_int_equal(profile_trace_at(q, s->trace)->depth, 2);
    }
    uint64_t folded = TRACES + 1 - sums->rows.count;
    assert_int_equal(rest, folded * (folded + 1) / 2);
    assert_int_equal(quality_of(q, quality_name(QUALITY_STACKS_FOLDED)), folded);
    assert_int_equal(quality_of(q, "lost"), 12);
    profile_free(q);
}

static void what_was_folded_is_counted_once(void **state)
{
    (void)state;
    struct profile *p = make_profile(), *q = fold_smallest(p, BUDGET, profile_bytes(p) / 2);
    uint64_t all = samples_all(p);
    struct profile *r = fold_smallest(q, BUDGET, 1);
    assert_int_equal(samples_all(r), all);
    assert_int_equal(profile_sums(r, KIND_SAMPLE)->rows.count, 1);
    assert_int_equal(quality_of(r, quality_name(QUALITY_STACKS_FOLDED)), TRACES);
    profile_free(p);
    profile_free(q);
    profile_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_stay_and_the_others_are_one),
        cmocka_unit_test(what_was_folded_is_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
