/*
 * alloc_countdown.c - see alloc_countdown.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_countdown.h"
#include <errno.h>
#include "agent/alloc/alloc_code.h"
#include "agent/alloc/alloc_stack.h"
#include "base/expo.h"
#include "base/pages.h"
#include "base/splitmix.h"
#include "classfile/opcode.h"

enum {
    /* number of counters; threads whose ids differ by a multiple of this share a counter */
    SLOTS = 1 << 16,
    SLOT_SHIFT = 6, /* each counter has a cache line of its own */
    OBJECT_WEIGHT = 32,
    ARRAY_WEIGHT = 16,
    ELEMENT_SHIFT = 2, /* an element weighs four bytes */
};

/* The counter of a thread: bytes to the next sample. */
struct alloc_countdown_slot {
    _Atomic int64_t left;
    _Atomic uint64_t random; /* 0: not drawn yet */
    int64_t most;            /* the most that `left` can be since the interval was set */
    uint64_t unused[5];
};

int alloc_countdown_open(struct alloc_countdown *c)
{
    if (!c->slots)
        c->slots = pages_map(SLOTS * sizeof(*c->slots));
    return c->slots ? 0 : -ENOMEM;
}

/*
 * Writes this method:
 *
 * long at = SLOTS + (U.getLong(Thread.currentThread(), TID) % COUNT << SHIFT);
 * long left = U.getLong(at) - WEIGHT;
 * U.putLong(at, left);
 * if (left < 0) native(o, at, LENGTH);
 *
 * For an array WEIGHT is 16 + (LENGTH << 2). For another object it is 32, and LENGTH is -1.
 */
void alloc_countdown_write(const struct alloc_countdown *c, struct alloc_code *code,
                           const char *name, const char *native, bool is_array)
{
    enum { ICONST_M1 = 2, BRANCH_OVER = 4, STACK = 10, LOCALS = 5 };
    alloc_code_push_long(code, (int64_t)(uintptr_t)c->slots);
    alloc_code_op2(code, ALLOC_CODE_GETSTATIC, code->unsafe);
    alloc_code_op2(code, OP_INVOKESTATIC, code->current_thread);
    alloc_code_push_long(code, code->tid_at);
    alloc_code_op2(code, OP_INVOKEVIRTUAL, code->get_long);
    alloc_code_push_long(code, SLOTS - 1);
    alloc_code_op(code, ALLOC_CODE_LAND);
    alloc_code_op(code, OP_BIPUSH);
    alloc_code_op(code, SLOT_SHIFT);
    alloc_code_op(code, ALLOC_CODE_LSHL);
    alloc_code_op(code, ALLOC_CODE_LADD);
    alloc_code_op(code, ALLOC_CODE_LSTORE_1);
    alloc_code_op2(code, ALLOC_CODE_GETSTATIC, code->unsafe);
    alloc_code_op(code, ALLOC_CODE_LLOAD_1);
    alloc_code_op2(code, OP_INVOKEVIRTUAL, code->get_word);
    alloc_code_push_long(code, is_array ? ARRAY_WEIGHT : OBJECT_WEIGHT);
    alloc_code_op(code, ALLOC_CODE_LSUB);
    if (is_array) {
        alloc_code_push_int_of(code, code->length_at);
        alloc_code_op(code, ALLOC_CODE_I2L);
        alloc_code_op(code, OP_ICONST_0 + ELEMENT_SHIFT);
        alloc_code_op(code, ALLOC_CODE_LSHL);
        alloc_code_op(code, ALLOC_CODE_LSUB);
    }
    alloc_code_op(code, ALLOC_CODE_LSTORE_3);
    alloc_code_op2(code, ALLOC_CODE_GETSTATIC, code->unsafe);
    alloc_code_op(code, ALLOC_CODE_LLOAD_1);
    alloc_code_op(code, ALLOC_CODE_LLOAD_3);
    alloc_code_op2(code, OP_INVOKEVIRTUAL, code->put_word);
    alloc_code_op(code, ALLOC_CODE_LLOAD_3);
    alloc_code_op(code, ALLOC_CODE_LCONST_0);
    alloc_code_op(code, ALLOC_CODE_LCMP);
    alloc_code_op2(code, ALLOC_CODE_IFLT, BRANCH_OVER);
    alloc_code_op(code, ALLOC_CODE_RETURN);
    alloc_code_op(code, OP_ALOAD_0);
    alloc_code_op(code, ALLOC_CODE_LLOAD_1);
    if (is_array)
        alloc_code_push_int_of(code, code->length_at);
    else
        alloc_code_op(code, ICONST_M1);
    alloc_code_call(code, native, ALLOC_COUNTDOWN_SIGNATURE);
    alloc_code_method(code, name, STACK, LOCALS);
}

static int64_t distance(const struct alloc_countdown *c, uint64_t random)
{
    enum { RANDOM_BITS = 53 };
    double interval = (double)atomic_load_explicit(&c->interval, memory_order_relaxed);
    return 1 - (int64_t)(interval * expo_log(((double)(random >> (64 - RANDOM_BITS)) + 1) /
                                             (double)((uint64_t)1 << RANDOM_BITS)));
}

static int64_t draw(struct alloc_countdown *c, struct alloc_countdown_slot *s)
{
    s->random = alloc_stack_mix(s->random + 1, 0x9e3779b97f4a7c15u);
    return distance(c, s->random);
}

/* An exponential distance has no memory, so a new one may be drawn at any time. A thread that
 * counts down at this very moment may write its old value back. Therefore a counter that has more
 * left than was drawn is set again. */
void alloc_countdown_set_interval(struct alloc_countdown *c, uint64_t interval)
{
    enum { TRIES = 3 };
    if (atomic_exchange(&c->interval, interval) == interval || !c->slots)
        return;
    for (struct alloc_countdown_slot *s = c->slots; s < c->slots + SLOTS; s++)
        if (s->random)
            s->left = s->most = distance(c, splitmix_next_shared(&c->random));
    for (int i = 0; i < TRIES; i++)
        for (struct alloc_countdown_slot *s = c->slots; s < c->slots + SLOTS; s++)
            if (s->random && s->most && s->left > s->most)
                s->left = s->most;
}

static void put_off(struct alloc_countdown_slot *s)
{
    s->left = s->most = INT64_MAX / 2;
}

void alloc_countdown_rest(struct alloc_countdown *c)
{
    atomic_store(&c->interval, 0);
    for (struct alloc_countdown_slot *s = c->slots; s && s < c->slots + SLOTS; s++)
        if (s->random)
            put_off(s);
}

void alloc_countdown_put_off(struct alloc_countdown *c, jlong counter)
{
    struct alloc_countdown_slot *s = (struct alloc_countdown_slot *)(uintptr_t)counter;
    /* alloc_countdown_set_interval() passes over counters whose `random` is 0 */
    if (s->random == 0)
        s->random = (uint64_t)(s - c->slots) + 1;
    put_off(s);
}

/* The counter of a thread has fallen below 0. A new thread has no distance yet, so its first one is
 * drawn here. */
bool alloc_countdown_take(struct alloc_countdown *c, jlong counter, jint length)
{
    struct alloc_countdown_slot *s = (struct alloc_countdown_slot *)(uintptr_t)counter;
    if (s->random == 0) {
        s->random = (uint64_t)(s - c->slots) + 1;
        s->left = draw(c, s) - (int64_t)alloc_countdown_weight(length);
        if (s->left >= 0)
            return false;
    }
    s->left = draw(c, s);
    return true;
}

uint64_t alloc_countdown_weight(int64_t length)
{
    return length < 0 ? OBJECT_WEIGHT : ARRAY_WEIGHT + ((uint64_t)length << ELEMENT_SHIFT);
}
