/*
 * meter.c - see meter.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meter.h"
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

enum {
    MEMORY_LEAST = 8 << 20,
    MEMORY_PER_BYTE = 1024,
    TIME_LEAST_NS = 2000000000,
    TIME_PER_BYTE_NS = 20000,
    NS_PER_S = 1000000000,
};

static struct {
    size_t now, most, before; /* bytes */
    uint64_t began_ns;
    size_t most_memory;
    uint64_t most_ns;
} meter;

#if defined(__GLIBC__) && !HAS_SANITIZER

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

/* What was taken before the first input may be given back later. */
static void lose(size_t bytes)
{
    meter.now -= bytes < meter.now ? bytes : meter.now;
}

static void *gain(void *p)
{
    meter.now += p ? malloc_usable_size(p) : 0;
    if (meter.now > meter.most)
        meter.most = meter.now;
    return p;
}

void *malloc(size_t size)
{
    return gain(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return gain(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size)
{
    size_t before = old ? malloc_usable_size(old) : 0;
    void *p = __libc_realloc(old, size);
    if (p || size == 0)
        lose(before);
    return gain(p);
}

void *memalign(size_t alignment, size_t size)
{
    return gain(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
    void *p = memalign(alignment, size);
    if (!p)
        return ENOMEM;
    *ret = p;
    return 0;
}

void free(void *p)
{
    lose(p ? malloc_usable_size(p) : 0);
    __libc_free(p);
}

#endif

static uint64_t thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

void meter_begin(void)
{
    meter.before = meter.most = meter.now;
    meter.began_ns = thread_ns();
}

void meter_end(size_t len)
{
    uint64_t ns = thread_ns() - meter.began_ns;
    size_t memory = meter.most - meter.before;
    meter.most_memory = memory > meter.most_memory ? memory : meter.most_memory;
    meter.most_ns = ns > meter.most_ns ? ns : meter.most_ns;
    size_t least = &meter_least ? meter_least : MEMORY_LEAST;
    bool is_cheap = memory <= least + len * MEMORY_PER_BYTE &&
                    ns <= TIME_LEAST_NS + len * (uint64_t)TIME_PER_BYTE_NS;

    if (HAS_SANITIZER || is_cheap)
        return;
    fprintf(stderr, "an input of %zu bytes takes %zu bytes of memory and %.3f s of a processor\n",
            len, memory, (double)ns / 1e9);
    abort();
}

void meter_say(void)
{
    printf("the dearest take %.1f KB of memory, %.1f ms\n", (double)meter.most_memory / 1024,
           (double)meter.most_ns / 1e6);
}
