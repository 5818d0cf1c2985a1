/*
 * options_options_share.c - several option strings at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "options/options_share.h"
#include <string.h>
#include "base/err.h"
#include "options/options_allocsample.h"
#include "options/options_cpu.h"
#include "options/options_group.h"
#include "options/options_parse.h"
#include "options/options_times.h"

static struct options all, one, two;
static struct options_error why;

static int tear_down(void **state)
{
    (void)state;
    options_done(&all);
    options_done(&one);
    options_done(&two);
    return 0;
}

static void parse(const char *line, struct options *ret)
{
    options_done(ret);
    assert_int_equal(options_parse(line, NULL, ret, &why), 0);
}

/* What these two have together. */
static void fold(const char *first, const char *second)
{
    const struct options *parts[] = {&one, &two};
    options_done(&all);
    parse(first, &one);
    parse(second, &two);
    assert_int_equal(options_share_fold(&all, parts, 1), 0);
    assert_int_equal(options_share_fold(&all, parts, 2), 0);
}

/* What is said of `second` where `first` runs; "" where it can be beside it. */
static const char *checked(const char *first, const char *second)
{
    const struct options *parts[] = {&one};
    options_done(&all);
    parse(first, &one);
    parse(second, &two);
    assert_int_equal(options_share_fold(&all, parts, 1), 0);
    if (options_share_check(&all, &two, &why) == 0)
        return "";
    return why.text;
}

static void the_finest_of_all_is_measured(void **state)
{
    (void)state;
    fold("cpu=samples,interval=10ms,depth=4", "cpu=samples,interval=1ms,depth=2,thread=y");
    assert_int_equal(all.interval_ns, 1000000);
    assert_int_equal(all.depth, 4);
    assert_true(all.thread);
    fold("cpu=samples,depth=4", "cpu=samples,depth=40,interval=20ms");
    assert_int_equal(all.interval_ns, 10000000);
    assert_int_equal(all.depth, 40);
    assert_false(all.thread);
    fold("event=alloc,alloc=512k", "event=alloc,alloc=64k");
    assert_int_equal(options_allocsample_of(&all)->interval_bytes, 64 << 10);
    fold("cpu=samples,alloc=1k", "event=alloc,alloc=64k");
    assert_int_equal(options_allocsample_of(&all)->interval_bytes, 64 << 10);
}

static void engines_come_and_go_with_those_who_ask_for_them(void **state)
{
    const struct options *last[] = {&two};
    (void)state;
    fold("cpu=samples,signal=VTALRM", "cpu=times,raw=y");
    assert_true(options_group_wanted(&all, &options_cpu));
    assert_true(options_group_wanted(&all, &options_times));
    assert_string_equal(options_cpu_of(&all)->signal, "VTALRM");
    assert_true(options_times_of(&all)->raw);
    const struct options_times *where = options_times_of(&all);

    assert_int_equal(options_share_fold(&all, last, 1), 0);
    assert_false(options_group_wanted(&all, &options_cpu));
    assert_true(options_group_wanted(&all, &options_times));
    assert_ptr_equal(options_times_of(&all), where);
}

static void what_is_fixed_is_refused_by_name(void **state)
{
    (void)state;
    assert_string_equal(checked("cpu=samples", "cpu=samples,signal=VTALRM"), "signal=");
    assert_string_equal(checked("cpu=samples", "cpu=samples,lineno=n"), "lineno=");
    assert_string_equal(checked("cpu=samples,native=y", "cpu=samples"), "native=");
    assert_string_equal(checked("cpu=samples,mem=32m", "cpu=samples,mem=64m"), "mem=");
    assert_string_equal(checked("cpu=times", "cpu=old"), "cpu=");
    assert_string_equal(checked("monitor=y,cpu=samples", "monitor=all,cpu=samples"), "monitor=");
    assert_string_equal(checked("heap=sites,sample=64k", "heap=sites"), "sample=");
}

static void what_is_not_said_is_taken_over(void **state)
{
    (void)state;
    assert_string_equal(checked("cpu=samples,signal=VTALRM,mem=32m", "cpu=samples"), "");
    assert_string_equal(options_cpu_of(&two)->signal, "VTALRM");
    assert_int_equal(two.mem_bytes, 32 << 20);
}

static void each_has_its_own_file_and_what_is_written(void **state)
{
    (void)state;
    assert_string_equal(checked("cpu=samples,file=a,doe=n,cutoff=0.5,duration=3s,verbose=n,depth=9",
                                "cpu=samples,format=b,file=b,force=n,interval=3ms,thread=y"),
                        "");
    assert_string_equal(checked("cpu=samples,signal=VTALRM", "cpu=times,clock=nano"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_finest_of_all_is_measured),
        cmocka_unit_test(engines_come_and_go_with_those_who_ask_for_them),
        cmocka_unit_test(what_is_fixed_is_refused_by_name),
        cmocka_unit_test(what_is_not_said_is_taken_over),
        cmocka_unit_test(each_has_its_own_file_and_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
