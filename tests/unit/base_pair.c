/* base_pair.c - work of two threads. SPDX-License-Identifier: Apache-2.0 */
#include "base/pair.h"
#include <string.h>
#include "cmocka_all.h"

enum { TURNS = 200000 };

struct shared {
    struct pair_lock lock;
    atomic_uint next;
    int calls[2];
    uint64_t count;               /* only under the lock */
    unsigned char is_done[TURNS]; /* each by whoever took its number */
};

static void take_turns(void *arg, int member)
{
    struct shared *s = arg;
    s->calls[member]++;
    for (unsigned at; (at = atomic_fetch_add(&s->next, 1)) < TURNS;) {
        s->is_done[at]++;
        if (at % 16 == 0) {
            pair_take(&s->lock);
            s->count++;
            pair_give(&s->lock);
        }
    }
}

static void all_work_is_done_once_by_both(void **state)
{
    static struct shared s;
    (void)state;
    for (int again = 0; again < 20; again++) {
        memset(&s, 0, sizeof(s));
        pair_run(take_turns, &s);
        assert_int_equal(s.calls[0], 1);
        assert_int_equal(s.calls[1], 1);
        assert_int_equal(s.count, TURNS / 16);
        for (unsigned i = 0; i < TURNS; i++)
            assert_int_equal(s.is_done[i], 1);
    }
}

static void no_lock_is_nobodys(void **state)
{
    (void)state;
    pair_take(NULL);
    pair_give(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_work_is_done_once_by_both),
        cmocka_unit_test(no_lock_is_nobodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
