/*
 * end_signals.c - see end_signals.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/end_signals.h"
#include <stddef.h>

static volatile sig_atomic_t is_asked;

static void on_end(int number)
{
    (void)number;
    is_asked = 1;
}

const volatile sig_atomic_t *end_signals_catch(bool also_ignored)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_end}, old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && (also_ignored || old.sa_handler != SIG_IGN))
            sigaction(numbers[i], &action, NULL);
    return &is_asked;
}
