/* format_hprof_file.c - the numbers of rows in HPROF files. SPDX-License-Identifier: Apache-2.0 */
#include "format/hprof_file.h"
#include <string.h>
#include "base/arena.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "profile/profile.h"
#include "profile/sieve.h"

enum { BUDGET = 16 << 20 };

static frame_id a_frame(struct profile *p, int32_t line)
{
    return profile_frame(p, profile_method(p, 0, profile_cstring(p, "m"), 0, 0), -1, line);
}

static void rows_that_no_file_names_are_numbered_in_their_order(void **state)
{
    (void)state;
    struct profile *p = profile_new(BUDGET);
    frame_id frame = a_frame(p, 1);
    assert_int_equal(hprof_serial_trace(p, PROFILE_TRACE_EMPTY), 300000);
    assert_int_equal(hprof_serial_trace(p, profile_trace(p, 0, &frame, 1)), 300001);
    assert_int_equal(hprof_serial_class(p, profile_class_named(p, profile_cstring(p, "A"))),
                     100000);
    assert_int_equal(hprof_serial_class(p, profile_class_named(p, profile_cstring(p, "B"))),
                     100001);
    assert_int_equal(hprof_serial_trace(p, 0), 0);
    assert_int_equal(hprof_serial_class(p, 0), 0);
    assert_int_equal(hprof_file_of(p)->monitor_dumps, 0);
    profile_free(p);
}

static void a_row_keeps_the_number_of_its_file_and_the_next_one_follows_the_largest(void **state)
{
    (void)state;
    struct profile *p = profile_new(BUDGET);
    struct hprof_file *f = hprof_file_attach(p, NULL);
    frame_id frame = a_frame(p, 1);
    trace_id large = hprof_file_add_trace(f, 300078, 0, &frame, 1);
    trace_id small = hprof_file_add_trace(f, 7, 0, &frame, 1);
    trace_id other = profile_trace(p, 0, &frame, 1);
    assert_int_equal(hprof_serial_trace(p, large), 300078);
    assert_int_equal(hprof_serial_trace(p, small), 7);
    assert_int_equal(hprof_serial_trace(p, other), 300079); /* nobody has asked for a number yet */
    assert_int_equal(hprof_file_trace(f, 300078), large);
    assert_int_equal(hprof_file_trace(f, 7), small);
    assert_int_equal(hprof_file_trace(f, 300079), other);
    assert_int_equal(hprof_file_trace(f, 300000), PROFILE_TRACE_EMPTY);
    assert_int_equal(hprof_file_trace(f, 300077), 0);
    trace_id after = hprof_file_add_trace(f, 300090, 0, &frame, 1);
    assert_int_equal(hprof_serial_trace(p, after), 300090);
    assert_int_equal(hprof_serial_trace(p, other), 300079);
    string_id name = profile_cstring(p, "A");
    class_id klass = hprof_file_add_class(f, 5, name), same = hprof_file_add_class(f, 100050, name);
    assert_int_not_equal(klass, same);
    assert_int_equal(hprof_serial_class(p, klass), 5);
    assert_int_equal(hprof_serial_class(p, same), 100050);
    assert_int_equal(hprof_serial_class(p, profile_class_named(p, profile_cstring(p, "B"))),
                     100051);
    profile_free(p);
}

/* A broken file may give one number to two stacks. */
static void the_first_trace_of_a_number_is_found(void **state)
{
    (void)state;
    struct profile *p = profile_new(BUDGET);
    struct hprof_file *f = hprof_file_attach(p, NULL);
    trace_id first = hprof_file_add_trace(f, 4, 0, NULL, 0);
    for (int i = 0; i < 1000; i++)
        hprof_file_add_trace(f, 4, 0, NULL, 0);
    assert_int_equal(hprof_file_trace(f, 4), first);
    assert_int_equal(f->serials.traces.index.used, 2); /* this one and the empty trace */
    profile_free(p);
}

static void the_folded_trace_has_a_number_that_no_trace_of_the_file_has(void **state)
{
    (void)state;
    struct profile *p = profile_new(BUDGET);
    struct sieve *s = sieve_new(1 << 16);
    assert_true(hprof_file_passes(NULL, 1));
    assert_true(hprof_file_passes(s, 300000)); /* the empty trace is never in the way */
    assert_false(hprof_file_passes(s, 400000));
    assert_int_equal(sieve_keep(s, 10), 0);
    sieve_begin(s, p);
    struct hprof_file *f = hprof_file_attach(p, s);
    assert_int_equal(hprof_serial_trace(p, sieve_rest(s)), 400001);
    assert_int_equal(hprof_file_trace(f, 300001), 0);
    trace_id t = hprof_file_add_trace(f, 300001, 0, NULL, 0);
    assert_int_equal(hprof_file_trace(f, 300001), t);
    profile_free(p);
    sieve_free(s);
}

static void what_found_no_room_is_counted(void **state)
{
    (void)state;
    struct profile *p = profile_new(1 << 20);
    struct hprof_file *f = hprof_file_attach(p, NULL);
    uint32_t serial = 1;
    while (hprof_file_add_trace(f, serial, 0, NULL, 0) != 0)
        serial++;
    assert_true(serial > 1000);
    assert_int_equal(profile_lost(p), 1);
    assert_int_not_equal(hprof_file_trace(f, serial - 1), 0);
    for (int i = 0; i < 100000; i++)
        hprof_file_add_waiter(f, 0, true);
    assert_true(profile_lost(p) > 1);
    profile_free(p);
}

/* cpu=old gives its stacks no numbers; its dumps of monitors do. */
static void the_numbers_of_a_file_of_pairs_count_up(void **state)
{
    (void)state;
    static const char text[] = "count callee caller time\n"
                               "3 a.B.c()V a.B.d()V 12\n"
                               "MONITOR DUMP BEGIN\n"
                               "    THREAD 200001, trace 300040, status: R\n"
                               "MONITOR DUMP END\n"
                               "count callee caller time\n"
                               "2 a.B.e()V a.B.d()V 7\n";
    struct profile *p = profile_new(BUDGET);
    struct reader_error error = {0};
    assert_int_equal(format_read(format_named("hprof-text"), text, sizeof(text) - 1, p, &error), 0);
    static const uint32_t serials[] = {300000, 300001, 300040, 300041};
    assert_int_equal(profile_trace_count(p), 4);
    for (trace_id id = 1; id <= 4; id++)
        assert_int_equal(hprof_serial_trace(p, id), serials[id - 1]);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_no_file_names_are_numbered_in_their_order),
        cmocka_unit_test(a_row_keeps_the_number_of_its_file_and_the_next_one_follows_the_largest),
        cmocka_unit_test(the_first_trace_of_a_number_is_found),
        cmocka_unit_test(the_folded_trace_has_a_number_that_no_trace_of_the_file_has),
        cmocka_unit_test(what_found_no_room_is_counted),
        cmocka_unit_test(the_numbers_of_a_file_of_pairs_count_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
