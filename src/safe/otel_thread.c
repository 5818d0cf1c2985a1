/*
 * otel_thread.c - see otel_thread.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/otel_thread.h"
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include "safe/own_memory.h"

/* Declared here because pthread.h also declares locks (poison.h). */
extern pthread_t pthread_self(void);

/* A variable as one word: the number of its library above, its offset below. */
enum { OFFSET_BITS = 48, MODULE_MAX = 0x7fff };

static struct {
    _Atomic uint64_t words[OTEL_THREAD_VARIABLES]; /* 0: none */
    struct otel_thread_libc libc;                  /* written before the first word */
} known;

static uint64_t word_of(const struct otel_thread_variable *v)
{
    return (uint64_t)v->module << OFFSET_BITS |
           ((uint64_t)v->offset & (((uint64_t)1 << OFFSET_BITS) - 1));
}

static struct otel_thread_variable variable_of(uint64_t word)
{
    int64_t offset = (int64_t)(word << (64 - OFFSET_BITS)) >> (64 - OFFSET_BITS);
    return (struct otel_thread_variable){(uint32_t)(word >> OFFSET_BITS), offset};
}

static bool fits(const struct otel_thread_variable *v)
{
    struct otel_thread_variable again = variable_of(word_of(v));
    return v->module <= MODULE_MAX && again.module == v->module && again.offset == v->offset &&
           word_of(v) != 0;
}

bool otel_thread_set(const struct otel_thread_variable *variables, uint32_t count,
                     const struct otel_thread_libc *libc)
{
    bool all_fit = count <= OTEL_THREAD_VARIABLES;
    if (count > 0)
        known.libc = *libc;
    for (uint32_t i = 0; i < OTEL_THREAD_VARIABLES; i++) {
        bool is_there = i < count && fits(&variables[i]);
        all_fit = all_fit && (i >= count || is_there);
        atomic_store_explicit(&known.words[i], is_there ? word_of(&variables[i]) : 0,
                              memory_order_release);
    }
    return all_fit;
}

static bool load(uint64_t addr, uint64_t *ret_word)
{
    return own_memory_read(addr, ret_word, sizeof(*ret_word)) == 0;
}

uint64_t otel_thread_at(const struct otel_thread_variable *variable,
                        const struct otel_thread_libc *libc, uint64_t pthread)
{
    uint64_t vector, count, block;
    if (variable->module == 0)
        return pthread + (uint64_t)variable->offset;
    if (!load(pthread + (uint64_t)libc->vector_at, &vector) || vector == 0 ||
        !load(vector + (uint64_t)libc->count_at, &count) || variable->module > count ||
        !load(vector + (uint64_t)variable->module * libc->stride, &block))
        return 0;
    /* glibc marks a block that the thread does not have yet by an address with all bits set. */
    return block == 0 || block == UINT64_MAX ? 0 : block + (uint64_t)variable->offset;
}

/* Keep the whole attributes of the `size` bytes that lie in ret->attributes. */
static uint32_t whole(const unsigned char *bytes, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < OTEL_THREAD_ATTRIBUTES && at + 2 <= size; i++) {
        size_t end = at + 2 + bytes[at + 1];
        if (end > size)
            break;
        at = end;
    }
    return (uint32_t)at;
}

static bool has_bytes(const unsigned char *bytes, size_t len)
{
    unsigned char any = 0;
    for (size_t i = 0; i < len; i++)
        any |= bytes[i];
    return any != 0;
}

/* Returns whether there is a valid record. The specification wants both ids or neither. */
static bool take(uint64_t record, struct otel_thread *ret)
{
    struct otel_thread_head head;
    if (record == 0 || record % 2 != 0 || own_memory_read(record, &head, sizeof(head)) != 0 ||
        head.valid != 1)
        return false;
    if (has_bytes(head.trace, sizeof(head.trace)) && has_bytes(head.span, sizeof(head.span))) {
        memcpy(ret->trace, head.trace, sizeof(head.trace));
        memcpy(ret->span, head.span, sizeof(head.span));
    }
    size_t size = head.attribute_bytes < OTEL_THREAD_ATTRIBUTES ? head.attribute_bytes
                                                                : OTEL_THREAD_ATTRIBUTES;
    if (size > 0 && own_memory_read(record + sizeof(head), ret->attributes, size) == 0)
        ret->attribute_bytes = whole(ret->attributes, size);
    /* Equal attributes are equal bytes: what follows the last whole one is 0. */
    memset(ret->attributes + ret->attribute_bytes, 0,
           sizeof(ret->attributes) - ret->attribute_bytes);
    return true;
}

/* The pointer that the variable holds in the calling thread; 0: none. */
static uint64_t pointer_in(const struct otel_thread_variable *v, uint64_t pthread)
{
    uint64_t at = otel_thread_at(v, &known.libc, pthread), pointer = 0;
    if (at % sizeof(pointer) != 0)
        return 0;
    if (v->module == 0)
        return *(volatile const uint64_t *)(uintptr_t)at;
    return at != 0 && load(at, &pointer) ? pointer : 0;
}

void otel_thread_read(struct otel_thread *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (int i = 0; i < OTEL_THREAD_VARIABLES; i++) {
        uint64_t word = atomic_load_explicit(&known.words[i], memory_order_acquire);
        if (word == 0)
            return;
        struct otel_thread_variable variable = variable_of(word);
        if (take(pointer_in(&variable, (uint64_t)pthread_self()), ret))
            return;
    }
}
