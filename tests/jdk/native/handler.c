/*
 * handler.c - a signal's handler that never returns.
 *
 * Preloaded into java: a thread that gets the signal stands where a profiler's handler stands at
 * some moment. SPDX-License-Identifier: Apache-2.0
 */
#include <poll.h>
#include <signal.h>
#include <stddef.h>

__attribute__((noinline)) static void handler_stays(void)
{
    for (;;)
        poll(NULL, 0, 1000);
}

static void handle(int number)
{
    (void)number;
    handler_stays();
}

__attribute__((constructor)) static void install(void)
{
    signal(SIGURG, handle);
}
