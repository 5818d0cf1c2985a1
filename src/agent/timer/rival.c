/*
 * rival.c - see rival.h.
 *
 * Not among the signals that can be had: those of the VM (SIGSEGV, SIGQUIT, SIGUSR2 and others, the
 * JDK's signals_posix.cpp), those that end or stop programs by their meaning, the C library's two,
 * and SIGRTMAX-2, with which the JDK wakes threads from blocking reads: its handler is installed by
 * the first of them (NativeThread.c), later than ours. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer/rival.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "agent/timer/timer.h"
#include "safe/tick.h"

/* In the order of preference. SIGSTKFLT is raised by nothing in Linux; async-profiler takes
 * SIGVTALRM for wall clock time. */
static const struct {
    const char *name;
    int number;
} classic[] = {
    {"PROF", SIGPROF}, {"STKFLT", SIGSTKFLT}, {"PWR", SIGPWR},
    {"URG", SIGURG},   {"VTALRM", SIGVTALRM},
};

enum { CLASSIC = sizeof(classic) / sizeof(classic[0]) };

/* "+3" behind SIGRTMIN, "-3" behind SIGRTMAX; -1: no such number. */
static int realtime_number(const char *name)
{
    int is_min = strncasecmp(name, "RTMIN", 5) == 0;
    const char *digits = name + 6;
    char *end = NULL;
    long n;

    if (!is_min && strncasecmp(name, "RTMAX", 5) != 0)
        return -1;
    if (!name[5])
        return is_min ? SIGRTMIN : SIGRTMAX;
    n = strtol(digits, &end, 10);
    if (name[5] != (is_min ? '+' : '-') || end == digits || *end || n < 0 ||
        n > SIGRTMAX - SIGRTMIN)
        return -1;
    return is_min ? SIGRTMIN + (int)n : SIGRTMAX - (int)n;
}

static int number_of(const char *name)
{
    char *end;
    long number = strtol(name, &end, 10);

    if (!*end)
        return number > 0 && number <= SIGRTMAX ? (int)number : -1;
    if (strncasecmp(name, "SIG", 3) == 0)
        name += 3;
    for (size_t i = 0; i < CLASSIC; i++)
        if (strcasecmp(name, classic[i].name) == 0)
            return classic[i].number;
    return realtime_number(name);
}

int rival_signal_named(const char *name, const char **ret_why)
{
    int number = name[0] ? number_of(name) : 0, is_ours = timer_is_realtime(number);

    *ret_why = "";
    if (number == 0)
        return 0;
    for (size_t i = 0; i < CLASSIC; i++)
        is_ours |= classic[i].number == number;
    if (number == SIGRTMAX - 2) {
        *ret_why = "is the one with which the JDK wakes threads from blocking reads";
        return -EINVAL;
    }
    if (!is_ours) {
        *ret_why = "cannot be had: use PROF, STKFLT, PWR, URG, VTALRM, or RTMIN+0 to RTMAX";
        return -EINVAL;
    }
    return number;
}

int rival_free_signal(void)
{
    for (size_t i = 0; i < CLASSIC; i++) {
        struct sigaction now;

        if (tick_holds(classic[i].number) || /* since an earlier recording */
            (sigaction(classic[i].number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
             (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)))
            return classic[i].number;
    }
    return 0;
}

void rival_signal_name(int signal, char ret[RIVAL_NAME])
{
    snprintf(ret, RIVAL_NAME, "signal %d", signal);
    for (size_t i = 0; i < CLASSIC; i++)
        if (classic[i].number == signal)
            snprintf(ret, RIVAL_NAME, "SIG%s", classic[i].name);
    if (timer_is_realtime(signal))
        snprintf(ret, RIVAL_NAME, "SIGRTMIN+%d", signal - SIGRTMIN);
}
