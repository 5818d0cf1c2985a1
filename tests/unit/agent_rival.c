/*
 * agent_rival.c - which signals can be had, and which are free.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer/rival.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "cmocka_all.h"
#include "options/options_signal.h"

static const int ours[] = {SIGPROF, SIGSTKFLT, SIGPWR, SIGURG, SIGVTALRM};

static int named(const char *name)
{
    const char *why;
    int number = options_signal_named(name, &why);
    assert_int_equal(number < 0, why[0] != '\0');
    return number;
}

static void a_name_is_read_with_and_without_sig_and_as_a_number(void **state)
{
    (void)state;
    assert_int_equal(named("PROF"), SIGPROF);
    assert_int_equal(named("SIGPROF"), SIGPROF);
    assert_int_equal(named("sigUrg"), SIGURG);
    assert_int_equal(named("27"), SIGPROF);
    assert_int_equal(named("RTMIN"), SIGRTMIN);
    assert_int_equal(named("RTMIN+3"), SIGRTMIN + 3);
    assert_int_equal(named("SIGRTMAX-3"), SIGRTMAX - 3);
    assert_int_equal(named("RTMAX"), SIGRTMAX);
    assert_int_equal(named(""), 0);
}

static void other_names_are_refused(void **state)
{
    static const char *const names[] = {"SEGV",     "11",     "USR1",    "SIG",     "0",
                                        "-1",       "27x",    "65",      "RTMIN-1", "RTMAX+1",
                                        "RTMIN+99", "RTMIN+", "RTMIN+x", "RTMINX"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_int_equal(named(names[i]), -EINVAL);
}

static void the_signal_of_the_jdks_blocking_reads_is_refused_by_name(void **state)
{
    const char *why;
    (void)state;
    assert_int_equal(options_signal_named("RTMAX-2", &why), -EINVAL);
    assert_non_null(strstr(why, "blocking reads"));
}

static void on_signal(int number)
{
    (void)number;
}

static void on_info(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
}

static void the_first_without_a_handler_is_free(void **state)
{
    struct sigaction with_info = {.sa_sigaction = on_info, .sa_flags = SA_SIGINFO};
    (void)state;
    assert_int_equal(rival_free_signal(), SIGSTKFLT);
    sigaction(SIGSTKFLT, &with_info, NULL);
    signal(SIGPWR, SIG_IGN);
    assert_int_equal(rival_free_signal(), SIGPWR);
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        signal(ours[i], on_signal);
    assert_int_equal(rival_free_signal(), 0);
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        signal(ours[i], SIG_DFL);
}

static void sigprof_which_others_want_is_the_last(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        signal(ours[i], ours[i] == SIGPROF ? SIG_DFL : on_signal);
    assert_int_equal(rival_free_signal(), SIGPROF);
    signal(SIGPROF, on_signal);
    assert_int_equal(rival_free_signal(), 0);
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        signal(ours[i], SIG_DFL);
}

static void a_number_has_the_name_that_names_it(void **state)
{
    char name[RIVAL_NAME];
    (void)state;
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        rival_signal_name(ours[i], name);
        assert_int_equal(named(name), ours[i]);
    }
    rival_signal_name(SIGRTMIN + 5, name);
    assert_string_equal(name, "SIGRTMIN+5");
    rival_signal_name(SIGSEGV, name);
    assert_string_equal(name, "signal 11");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_read_with_and_without_sig_and_as_a_number),
        cmocka_unit_test(other_names_are_refused),
        cmocka_unit_test(the_signal_of_the_jdks_blocking_reads_is_refused_by_name),
        cmocka_unit_test(the_first_without_a_handler_is_free),
        cmocka_unit_test(sigprof_which_others_want_is_the_last),
        cmocka_unit_test(a_number_has_the_name_that_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
