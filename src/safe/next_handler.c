/*
 * next_handler.c - see next_handler.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/next_handler.h"

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
