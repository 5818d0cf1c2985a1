/*
 * own_tls.c - see own_tls.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/own_tls.h"
#include <pthread.h>
#include <stdint.h>

/* the static block of glibc has 2 to 4 KB besides the variables of the program */
enum { STATIC_BLOCK_MAX = 64 << 10 };

/* Only glibc has this function. */
extern const char *gnu_get_libc_version(void) __attribute__((weak));

static __thread char mark;

bool own_tls_is_static(void)
{
    uintptr_t thread = (uintptr_t)pthread_self(), at = (uintptr_t)&mark;
    return !gnu_get_libc_version || (at > thread ? at - thread : thread - at) < STATIC_BLOCK_MAX;
}
