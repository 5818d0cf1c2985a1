/* options_signal.c - see options_signal.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_signal.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <strings.h>

/* Linux itself never raises SIGSTKFLT. async-profiler uses SIGVTALRM for wall-clock time. */
const struct options_signal options_signal_classic[] = {
    {"PROF", SIGPROF}, {"STKFLT", SIGSTKFLT}, {"PWR", SIGPWR},
    {"URG", SIGURG},   {"VTALRM", SIGVTALRM}, {0},
};

bool options_signal_is_realtime(int number)
{
    return number >= SIGRTMIN;
}

/* Parses "RTMIN", "RTMIN+3", "RTMAX" or "RTMAX-3"; -1: no such signal. */
static int realtime_number(const char *name)
{
    bool is_min = strncasecmp(name, "RTMIN", 5) == 0;
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
    for (const struct options_signal *s = options_signal_classic; s->name; s++)
        if (strcasecmp(name, s->name) == 0)
            return s->number;
    return realtime_number(name);
}

int options_signal_named(const char *name, const char **ret_why)
{
    int number = name[0] ? number_of(name) : 0;
    bool is_ours = options_signal_is_realtime(number);
    *ret_why = "";
    if (number == 0)
        return 0;
    for (const struct options_signal *s = options_signal_classic; s->name; s++)
        is_ours |= s->number == number;
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
