/*
 * rival.c - see rival.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer/rival.h"
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include "options/options_signal.h"
#include "safe/counted.h"
#include "safe/tick.h"

static bool is_free(int signal)
{
    struct sigaction now;
    return tick_holds(signal) || /* kept from an earlier recording */
           (sigaction(signal, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
            (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN));
}

int rival_free_signal(void)
{
    for (const struct options_signal *s = options_signal_classic; s->name; s++)
        if (s->number != SIGPROF && is_free(s->number))
            return s->number;
    return is_free(SIGPROF) ? SIGPROF : 0;
}

/* event=wall asks by SIGVTALRM. */
int rival_second_signal(void)
{
    for (const struct options_signal *s = options_signal_classic; s->name; s++)
        if (s->number != SIGPROF && s->number != SIGVTALRM && !tick_holds(s->number) &&
            (counted_holds(s->number) || is_free(s->number)))
            return s->number;
    return !tick_holds(SIGPROF) && (counted_holds(SIGPROF) || is_free(SIGPROF)) ? SIGPROF : 0;
}

void rival_signal_name(int signal, char ret[RIVAL_NAME])
{
    snprintf(ret, RIVAL_NAME, "signal %d", signal);
    for (const struct options_signal *s = options_signal_classic; s->name; s++)
        if (s->number == signal)
            snprintf(ret, RIVAL_NAME, "SIG%s", s->name);
    if (options_signal_is_realtime(signal))
        snprintf(ret, RIVAL_NAME, "SIGRTMIN+%d", signal - SIGRTMIN);
}
