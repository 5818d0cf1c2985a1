/*
 * safe_asgst_ring.c - the waiting room of an ASGST queue.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "safe/asgst_ring.h"
#include <stdlib.h>

static struct asgst_ring *new_ring(uint32_t capacity, uint32_t frames)
{
    struct asgst_ring *r = calloc(1, sizeof(*r));
    void *memory = calloc(1, asgst_ring_bytes(capacity, frames));
    assert_non_null(r);
    assert_non_null(memory);
    asgst_ring_init(r, memory, capacity, frames);
    return r;
}

static void free_ring(struct asgst_ring *r)
{
    free(r->elements);
    free(r);
}

/* An element `value` whose frames have the methods value * 100, value * 100 + 1, ... 1, or 0: no
 * room. */
static int put(struct asgst_ring *r, long value, uint32_t frames)
{
    struct asgst_ring_element *e = asgst_ring_begin(r);
    if (!e)
        return 0;
    for (uint32_t i = 0; i < frames; i++) {
        struct asgst_ring_frame *f = asgst_ring_add(r);
        if (!f)
            return 0;
        f->method = (uint64_t)value * 100 + i;
    }
    e->arg = (void *)value;
    asgst_ring_commit(r);
    return 1;
}

/* Claims the oldest element alone. */
static int claim_one(struct asgst_ring *r)
{
    struct asgst_ring_look look = asgst_ring_look(r);
    uint64_t tail = atomic_load(&r->tail);
    look.head = look.head > tail ? tail + 1 : tail;
    return asgst_ring_claim(r, &look);
}

static void take(struct asgst_ring *r, long value, uint32_t frames)
{
    if (asgst_ring_claimed(r) == 0)
        assert_true(claim_one(r));
    struct asgst_ring_element *e = asgst_ring_peek(r);
    assert_non_null(e);
    assert_int_equal((long)e->arg, value);
    assert_int_equal(e->frame_count, frames);
    for (uint32_t i = 0; i < frames; i++)
        assert_int_equal(r->store[e->store_at + i].method, (uint64_t)value * 100 + i);
    asgst_ring_pop(r);
}

static void elements_come_out_in_order(void **state)
{
    struct asgst_ring *r = new_ring(3, 100);
    assert_null(asgst_ring_peek(r));
    assert_true(put(r, 1, 5) && put(r, 2, 0) && put(r, 3, 7));
    take(r, 1, 5);
    take(r, 2, 0);
    take(r, 3, 7);
    assert_null(asgst_ring_peek(r));
    free_ring(r);
}

static void a_full_ring_refuses_and_keeps_what_it_has(void **state)
{
    struct asgst_ring *r = new_ring(2, 100);
    assert_true(put(r, 1, 3) && put(r, 2, 3));
    assert_null(asgst_ring_begin(r));
    assert_int_equal(asgst_ring_size(r), 2);
    take(r, 1, 3);
    assert_true(put(r, 3, 3));
    take(r, 2, 3);
    take(r, 3, 3);
    free_ring(r);
}

static void elements_are_found_from_both_ends(void **state)
{
    struct asgst_ring *r = new_ring(4, 100);
    assert_null(asgst_ring_get(r, 0));
    assert_null(asgst_ring_get(r, -1));
    for (long i = 0; i < 7; i++) { /* more than the capacity: indices wrap */
        assert_true(put(r, i, 1));
        if (i >= 3)
            take(r, i - 3, 1);
    }
    assert_int_equal((long)asgst_ring_get(r, 0)->arg, 4);
    assert_int_equal((long)asgst_ring_get(r, 2)->arg, 6);
    assert_null(asgst_ring_get(r, 3));
    assert_int_equal((long)asgst_ring_get(r, -1)->arg, 6);
    assert_int_equal((long)asgst_ring_get(r, -3)->arg, 4);
    assert_null(asgst_ring_get(r, -4));
    assert_null(asgst_ring_get(r, INT32_MIN));
    assert_null(asgst_ring_get(r, INT32_MAX));
    free_ring(r);
}

static void an_element_that_was_not_committed_is_not_there(void **state)
{
    struct asgst_ring *r = new_ring(4, 10);
    assert_non_null(asgst_ring_begin(r));
    assert_non_null(asgst_ring_add(r));
    assert_null(asgst_ring_peek(r));
    assert_int_equal(asgst_ring_size(r), 0);
    assert_true(put(r, 1, 9)); /* its frames are free again */
    take(r, 1, 9);
    free_ring(r);
}

static void frames_of_waiting_elements_are_never_overwritten(void **state)
{
    struct asgst_ring *r = new_ring(50, 64);
    long in = 0, out = 0;
    uint32_t lengths[10000];
    srand(7);
    while (out < 9000) {
        uint32_t frames = (uint32_t)rand() % 20;
        if (rand() % 3 != 0 && in < 9999 && put(r, in, frames))
            lengths[in++] = frames;
        else if (out < in && rand() % 2 == 0) {
            take(r, out, lengths[out]);
            out++;
        } else if (out == in && in >= 9000) {
            break;
        }
    }
    assert_true(out >= 9000);
    free_ring(r);
}

static void a_stack_that_fills_the_store_alone_fits_but_one_more_frame_does_not(void **state)
{
    struct asgst_ring *r = new_ring(4, 16);
    assert_true(put(r, 1, 16));
    take(r, 1, 16);
    assert_false(put(r, 2, 17));
    assert_true(put(r, 3, 16));
    take(r, 3, 16);
    free_ring(r);
}

static void a_claimed_element_is_the_consumers_alone(void **state)
{
    struct asgst_ring *r = new_ring(4, 100);
    assert_true(put(r, 1, 1) && put(r, 2, 1) && put(r, 3, 1));
    assert_null(asgst_ring_peek(r));
    assert_null(asgst_ring_youngest(r));
    struct asgst_ring_look look = asgst_ring_look(r);
    look.head = 2;
    assert_true(asgst_ring_claim(r, &look));
    assert_int_equal(asgst_ring_claimed(r), 2);
    assert_int_equal((long)asgst_ring_youngest(r)->arg, 2);
    assert_int_equal(asgst_ring_size(r), 1);
    assert_int_equal((long)asgst_ring_get(r, 0)->arg, 3);
    assert_ptr_equal(asgst_ring_get(r, -1), asgst_ring_get(r, 0));
    assert_null(asgst_ring_get(r, -2));
    take(r, 1, 1);
    take(r, 2, 1);
    assert_null(asgst_ring_peek(r));
    assert_false(asgst_ring_is_empty(r));
    take(r, 3, 1);
    assert_true(asgst_ring_is_empty(r));
    free_ring(r);
}

static void a_claim_fails_once_the_producer_has_come(void **state)
{
    struct asgst_ring *r = new_ring(4, 100);
    assert_true(put(r, 1, 1));
    struct asgst_ring_look look = asgst_ring_look(r);
    asgst_ring_enter(r);
    assert_false(asgst_ring_claim(r, &look));
    assert_int_equal((long)asgst_ring_get(r, -1)->arg, 1);
    look = asgst_ring_look(r);
    assert_true(asgst_ring_claim(r, &look));
    assert_null(asgst_ring_get(r, -1));
    assert_int_equal(asgst_ring_size(r), 0);
    free_ring(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_come_out_in_order),
        cmocka_unit_test(a_full_ring_refuses_and_keeps_what_it_has),
        cmocka_unit_test(elements_are_found_from_both_ends),
        cmocka_unit_test(an_element_that_was_not_committed_is_not_there),
        cmocka_unit_test(a_claimed_element_is_the_consumers_alone),
        cmocka_unit_test(a_claim_fails_once_the_producer_has_come),
        cmocka_unit_test(frames_of_waiting_elements_are_never_overwritten),
        cmocka_unit_test(a_stack_that_fills_the_store_alone_fits_but_one_more_frame_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
