/*
 * next_handler.c - see next_handler.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/next_handler.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>

bool next_handler_call(const struct sigaction *to, int signal, siginfo_t *info, void *ucontext)
{
    if (to->sa_handler == SIG_DFL || to->sa_handler == SIG_IGN) /* shared with sa_sigaction */
        return false;
    if (to->sa_flags & SA_SIGINFO)
        to->sa_sigaction(signal, info, ucontext);
    else
        to->sa_handler(signal);
    return true;
}

bool next_handler_is(const struct sigaction *action, next_handler_own *own)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == own;
}

static bool has_handler(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) ||
           (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

int next_handler_take(int signal, next_handler_own *own, struct sigaction *ret_before)
{
    static const int profilers[] = {SIGPROF, SIGVTALRM, SIGSTKFLT, SIGPWR, SIGURG};
    struct sigaction ours, before;
    if (sigaction(signal, NULL, &before) != 0)
        return -errno;
    if (!next_handler_is(&before, own) && has_handler(&before))
        return -EBUSY;
    if (!next_handler_is(&before, own))
        *ret_before = before;
    memset(&ours, 0, sizeof(ours));
    ours.sa_sigaction = own;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof(profilers) / sizeof(profilers[0]); i++)
        sigaddset(&ours.sa_mask, profilers[i]);
    return sigaction(signal, &ours, NULL) == 0 ? 0 : -errno;
}
