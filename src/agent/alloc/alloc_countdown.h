/*
 * alloc_countdown.h - samples of allocations in a VM that has no sampler (JDK 8).
 *
 * Each thread has a counter. Methods of a tracker class, which run for every new object, subtract
 * the object's weight from the counter. Only when the counter falls below 0 do they call a native
 * method.
 *
 * The weight of an object is an estimate of its bytes that the Java code can make without asking
 * the VM. Any measure is good enough for drawing, as long as the probability of each object is
 * known. The distances between samples are exponentially distributed.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct alloc_code;

/** The signature of the native method, `void (Object, long counter, int length)`; the length is -1
 * if the object is not an array. */
#define ALLOC_COUNTDOWN_SIGNATURE "(Ljava/lang/Object;JI)V"

struct alloc_countdown {
    /* kept as long as the VM lives, because the Java code has their address */
    struct alloc_countdown_slot *slots;
    _Atomic uint64_t interval; /* the mean distance, in bytes of weight */
    _Atomic uint64_t random;   /* for distances that are drawn when the interval changes */
};

/** Take the memory of the counters; later calls do nothing. Errors: 0; -ENOMEM. Context: any. */
int alloc_countdown_open(struct alloc_countdown *c);
/** Set the mean distance. It holds at once, also for distances that threads have begun to count
 * down. Context: any; threads may count meanwhile. */
void alloc_countdown_set_interval(struct alloc_countdown *c, uint64_t interval);
/** Write a method `void name(Object)` that counts down and calls `native`. The method is for arrays
 * if `is_array`, otherwise for other objects. */
void alloc_countdown_write(const struct alloc_countdown *c, struct alloc_code *code,
                           const char *name, const char *native, bool is_array);
/** Whether the object is a sample. `counter` and `length` are the arguments of the native method.
 * Context: java. */
bool alloc_countdown_take(struct alloc_countdown *c, jlong counter, jint length);
/**
 * Take no more samples until an interval is set. Classes may still count, so all counters get a
 * value that never runs out. Context: any; threads may count meanwhile.
 */
void alloc_countdown_rest(struct alloc_countdown *c);
/** Do the same for one counter whose thread has still called the native method. Context: java. */
void alloc_countdown_put_off(struct alloc_countdown *c, jlong counter);
/** The weight of an object; `length` is -1 if it is not an array. */
uint64_t alloc_countdown_weight(int64_t length);
