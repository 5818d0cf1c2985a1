/*
 * safe_asgst_thread.c - the threads of a VM, in lists as HotSpot keeps them before and since
 * JDK 10. SPDX-License-Identifier: Apache-2.0
 */
#include "safe/asgst_thread.h"
#include "cmocka_all.h"

enum { THREADS = 3 };

/* What a JavaThread and a ThreadsList are to us. */
static struct thread {
    uint64_t object, next;
} threads[THREADS];
static uint64_t array[THREADS], first;
static struct {
    uint64_t threads;
    uint32_t length;
} list;
static uint64_t list_at;

static int read_here(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    (void)m;
    memcpy(dst, (const void *)addr, len);
    return 0;
}
static const struct mem_ops here_ops = {.read = read_here};
static struct mem here = {.ops = &here_ops};

/* All with an object. */
static struct hs_layout layout_of(int has_smr)
{
    struct hs_layout l = {
        .thread_object = offsetof(struct thread, object),
        .thread_next = offsetof(struct thread, next),
        .thread_list = (uint64_t)&first,
        .smr_thread_list = has_smr ? (uint64_t)&list_at : 0,
    };
    l.smr_threads = (int32_t)((char *)&list.threads - (char *)&list);
    l.smr_length = (int32_t)((char *)&list.length - (char *)&list);
    list_at = (uint64_t)&list;
    list.threads = (uint64_t)array;
    list.length = THREADS;
    first = (uint64_t)&threads[0];
    for (int i = 0; i < THREADS; i++) {
        threads[i].object = 1;
        threads[i].next = i + 1 < THREADS ? (uint64_t)&threads[i + 1] : 0;
        array[i] = (uint64_t)&threads[i];
    }
    return l;
}

static uint32_t count(const struct hs_layout *l, uint32_t max)
{
    struct mem_view v = {.mem = &here};
    return asgst_thread_count(&v, l, max);
}

static void threads_are_counted_up_to_the_limit(void **state)
{
    (void)state;
    for (int has_smr = 0; has_smr < 2; has_smr++) {
        struct hs_layout l = layout_of(has_smr);
        assert_int_equal(count(&l, 100), THREADS);
        assert_int_equal(count(&l, 2), 2);
    }
}

static void a_thread_that_has_no_object_yet_does_not_count(void **state)
{
    (void)state;
    for (int has_smr = 0; has_smr < 2; has_smr++) {
        struct hs_layout l = layout_of(has_smr);
        threads[0].object = threads[1].object = 0;
        assert_int_equal(count(&l, 2), 1);
        threads[0].object = 1;
        assert_int_equal(count(&l, 2), 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_counted_up_to_the_limit),
        cmocka_unit_test(a_thread_that_has_no_object_yet_does_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
