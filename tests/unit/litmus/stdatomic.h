/*
 * stdatomic.h - the operations of <stdatomic.h> as calls of litmus.c; each tells its line.
 *
 * Only the names that the code under test uses are here; another name does not compile.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "litmus.h"

typedef enum {
    memory_order_relaxed = __ATOMIC_RELAXED,
    memory_order_acquire = __ATOMIC_ACQUIRE,
    memory_order_release = __ATOMIC_RELEASE,
    memory_order_acq_rel = __ATOMIC_ACQ_REL,
    memory_order_seq_cst = __ATOMIC_SEQ_CST,
} memory_order;

#define LITMUS_AT(p) ((void *)(uintptr_t)(p)), sizeof(*(p))
/* A statement expression, so that a value may be left unused. */
#define LITMUS_VALUE(p, number)                                                                    \
    ({                                                                                             \
        __typeof__(*(p) + 0) litmus_value = (__typeof__(*(p) + 0))(number);                        \
        litmus_value;                                                                              \
    })

#define atomic_load_explicit(p, order) LITMUS_VALUE(p, litmus_load(LITMUS_AT(p), order, __LINE__))
#define atomic_store_explicit(p, value, order)                                                     \
    litmus_store(LITMUS_AT(p), (uint64_t)(value), order, __LINE__)
#define atomic_exchange_explicit(p, value, order)                                                  \
    LITMUS_VALUE(p, litmus_change(LITMUS_AT(p), LITMUS_SET, (uint64_t)(value), order, __LINE__))
#define atomic_fetch_add_explicit(p, value, order)                                                 \
    LITMUS_VALUE(p, litmus_change(LITMUS_AT(p), LITMUS_ADD, (uint64_t)(value), order, __LINE__))
#define atomic_fetch_sub_explicit(p, value, order)                                                 \
    LITMUS_VALUE(p, litmus_change(LITMUS_AT(p), LITMUS_ADD, -(uint64_t)(value), order, __LINE__))
#define atomic_fetch_or_explicit(p, value, order)                                                  \
    LITMUS_VALUE(p, litmus_change(LITMUS_AT(p), LITMUS_OR, (uint64_t)(value), order, __LINE__))
#define atomic_compare_exchange_strong_explicit(p, expected, value, order, failed)                 \
    litmus_exchange(LITMUS_AT(p), expected, (uint64_t)(value), order, failed, __LINE__)
#define atomic_compare_exchange_weak_explicit atomic_compare_exchange_strong_explicit
#define atomic_thread_fence(order) litmus_fence(order, __LINE__)

#define atomic_load(p) atomic_load_explicit(p, memory_order_seq_cst)
#define atomic_store(p, value) atomic_store_explicit(p, value, memory_order_seq_cst)
#define atomic_exchange(p, value) atomic_exchange_explicit(p, value, memory_order_seq_cst)
#define atomic_fetch_add(p, value) atomic_fetch_add_explicit(p, value, memory_order_seq_cst)
#define atomic_fetch_sub(p, value) atomic_fetch_sub_explicit(p, value, memory_order_seq_cst)
#define atomic_compare_exchange_strong(p, expected, value)                                         \
    atomic_compare_exchange_strong_explicit(p, expected, value, memory_order_seq_cst,              \
                                            memory_order_seq_cst)
