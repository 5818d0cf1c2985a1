/*
 * litmus_plain.h - memcpy and memset of code under test, which tell litmus.c what they read and
 * write. Include it behind <string.h> and in front of the C file under test.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <string.h>
#include "litmus.h"

static inline void *litmus_plain_copy(void *to, const void *from, size_t bytes)
{
    litmus_read(from, bytes);
    memcpy(to, from, bytes);
    litmus_written(to, bytes);
    return to;
}

static inline void *litmus_plain_set(void *to, int value, size_t bytes)
{
    memset(to, value, bytes);
    litmus_written(to, bytes);
    return to;
}

#define memcpy litmus_plain_copy
#define memset litmus_plain_set
