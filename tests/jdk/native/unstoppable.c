/*
 * unstoppable.c - a thread that a debugger stops after some hundred milliseconds only, again and
 * again: the kernel lets whoever calls vfork() wait until the child is gone.
 *
 * Preloaded into a JVM. SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { CHILD_US = 300000 };

static void *wait_for_children(void *unused)
{
    for (;;) {
        if (vfork() == 0) {
            usleep(CHILD_US);
            _exit(0);
        }
    }
    return unused;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_children, NULL) == 0)
        pthread_detach(thread);
}
