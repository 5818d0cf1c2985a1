/*
 * alloc_countdown.h - samples of allocations where the VM has no sampler: methods of a tracker that
 * count the bytes of each object down, a counter a thread, and call on only where one runs out.
 *
 * An object weighs so much as its Java code can see without asking: any measure will do for
 * drawing, as long as the probability of each object is known. Distances are exponential.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct alloc_code;

/** The native method that is called, `void (Object, long counter, int length)`; the length is -1 of
 * what is no array. */
#define ALLOC_COUNTDOWN_SIGNATURE "(Ljava/lang/Object;JI)V"

struct alloc_countdown {
    struct alloc_countdown_slot *slots; /* for the life of the VM: the code has their address */
    _Atomic uint64_t interval;          /* the mean of distances, in bytes as objects weigh */
    _Atomic uint64_t random;            /* of distances that are drawn anew */
};

/** Errors: 0; -ENOMEM. May be called again. Context: any. */
int alloc_countdown_open(struct alloc_countdown *c);
/** The mean of distances from now on, also of those that threads have begun to count down. Context:
 * any; threads may count meanwhile. */
void alloc_countdown_set_interval(struct alloc_countdown *c, uint64_t interval);
/** Write a method `void name(Object)` that calls `native`, of an object or, `is_array`, an array.
 */
void alloc_countdown_write(const struct alloc_countdown *c, struct alloc_code *code,
                           const char *name, const char *native, bool is_array);
/** Whether the object is a sample; `counter` and `length` as the native method has them. Context:
 * java. */
bool alloc_countdown_take(struct alloc_countdown *c, jlong counter, jint length);
/**
 * Nobody wants samples any more, until an interval is set: counters are put so far off that they
 * never run out, for classes that still count. Context: any; threads may count meanwhile.
 */
void alloc_countdown_rest(struct alloc_countdown *c);
/** The same of one counter, whose thread has called the native method after all. Context: java. */
void alloc_countdown_put_off(struct alloc_countdown *c, jlong counter);
/** What an object weighs; `length` -1: it is no array. */
uint64_t alloc_countdown_weight(int64_t length);
