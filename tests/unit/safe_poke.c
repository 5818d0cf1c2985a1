/*
 * safe_poke.c - questions to threads of this process, with a walker that only leaves a mark.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/poke.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "cmocka_all.h"
#include "safe/clock.h"

enum { SIGNAL = SIGVTALRM, DEPTH = 2, MARK = 77, WAIT_MS = 5000, NOBODY = 0x3ffffff0 };

static struct poke poke;
static _Atomic int foreign_seen, walks, leaves;
static _Atomic bool may_finish; /* the walk of a handler */

static int walk(struct walk_request *request, struct walk_frame *frames, uint32_t max,
                bool *ret_truncated)
{
    atomic_fetch_add(&walks, 1);
    assert_non_null(request->ucontext);
    while (!may_finish)
        continue;
    for (uint32_t i = 0; i < max; i++)
        frames[i] = (struct walk_frame){.method = MARK, .bci = (int32_t)i};
    *ret_truncated = 1;
    errno = EPERM; /* the interrupted code must not see it */
    return (int)max;
}

static void leave(struct walk_request *request)
{
    (void)request;
    atomic_fetch_add(&leaves, 1);
}

static const struct walker marking = {.name = "marking", .walk = walk, .leave = leave};

static void on_foreign(int signal)
{
    (void)signal;
    atomic_fetch_add(&foreign_seen, 1);
}

static int set_up(void **state)
{
    (void)state;
    poke.cells = calloc(POKE_CELLS, sizeof(*poke.cells));
    poke.walker = &marking;
    poke.cell_count = POKE_CELLS;
    poke.signal = SIGNAL;
    poke.depth = DEPTH;
    return poke.cells ? 0 : -1;
}

static int begin(void **state)
{
    (void)state;
    may_finish = true;
    walks = leaves = 0;
    return poke_open(&poke);
}

static int end(void **state)
{
    (void)state;
    poke_close(&poke);
    for (uint32_t i = 0; i < POKE_CELLS; i++)
        if (atomic_load(&poke.cells[i].state) != POKE_FREE)
            return -1;
    return 0;
}

/* ---- a thread that can be asked */

struct asked {
    pthread_t thread;
    _Atomic int32_t tid;
    _Atomic bool ends, holds_signals, holds, has_lost_errno;
};

static void *live(void *argument)
{
    struct asked *self = argument;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGNAL);
    self->tid = gettid();
    for (errno = ENOENT; !self->ends;) {
        if (self->holds_signals != self->holds) {
            pthread_sigmask(self->holds_signals ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
            self->holds = self->holds_signals;
        }
        if (errno != ENOENT)
            self->has_lost_errno = true;
    }
    return NULL;
}

static void start(struct asked *t)
{
    assert_int_equal(pthread_create(&t->thread, NULL, live, t), 0);
    while (!t->tid)
        sched_yield();
}

static void finish(struct asked *t)
{
    t->ends = true;
    pthread_join(t->thread, NULL);
}

static void hold(struct asked *t, bool holds)
{
    t->holds_signals = holds;
    while (t->holds != holds)
        sched_yield();
}

static bool comes(const struct poke_cell *c)
{
    uint64_t until_ns = clock_monotonic_ns() + (uint64_t)WAIT_MS * 1000000;
    while (!poke_is_answered(c) && clock_monotonic_ns() < until_ns)
        sched_yield();
    return poke_is_answered(c);
}

/* ---- the tests */

static void a_thread_answers_with_its_stack_and_keeps_its_errno(void **state)
{
    struct asked t = {0};
    uint64_t before_ns = clock_monotonic_ns();
    struct poke_cell *c;
    (void)state;
    start(&t);
    c = poke_ask(&poke, t.tid, &t, 5);
    assert_non_null(c);
    assert_true(comes(c));
    assert_int_equal(c->result, DEPTH);
    assert_int_equal(c->is_truncated, 1);
    assert_int_equal(c->frames[1].method, MARK);
    assert_int_equal(c->frames[1].bci, 1);
    assert_ptr_equal(c->request.jni_env, &t);
    assert_int_equal(c->request.java_thread, 5);
    assert_true(c->time_ns >= before_ns && c->time_ns <= clock_monotonic_ns());
    assert_false(poke_withdraw(c));
    assert_int_equal(leaves, 0);
    poke_free(&poke, c);
    assert_int_equal(leaves, 1);
    finish(&t);
    assert_false(t.has_lost_errno);
}

static void a_question_can_be_taken_back_until_its_thread_comes(void **state)
{
    struct asked t = {0};
    struct poke_cell *first, *second;
    (void)state;
    start(&t);
    hold(&t, true);
    first = poke_ask(&poke, t.tid, NULL, 0);
    assert_non_null(first);
    assert_true(poke_withdraw(first));
    assert_false(poke_withdraw(first));
    hold(&t, false); /* its handler finds no question */
    second = poke_ask(&poke, t.tid, NULL, 0);
    assert_true(comes(second));
    assert_int_equal(walks, 1);
    poke_free(&poke, second);
    finish(&t);
}

static void a_walk_that_has_begun_is_waited_for(void **state)
{
    struct asked t = {0};
    struct poke_cell *c;
    (void)state;
    may_finish = false;
    start(&t);
    c = poke_ask(&poke, t.tid, NULL, 0);
    while (walks == 0)
        sched_yield();
    assert_false(poke_withdraw(c));
    assert_false(poke_is_answered(c));
    poke_close(&poke);
    assert_false(poke_is_quiet(&poke));
    may_finish = true;
    assert_true(comes(c));
    while (!poke_is_quiet(&poke))
        sched_yield();
    poke_free(&poke, c);
    finish(&t);
}

static void there_are_so_many_questions_at_one_time(void **state)
{
    struct poke_cell *all[POKE_CELLS];
    struct asked t = {0};
    (void)state;
    start(&t);
    hold(&t, true);
    for (int i = 0; i < POKE_CELLS; i++) {
        all[i] = poke_ask(&poke, t.tid, NULL, 0);
        assert_non_null(all[i]);
    }
    assert_null(poke_ask(&poke, t.tid, NULL, 0));
    for (int i = 0; i < POKE_CELLS; i++)
        assert_true(poke_withdraw(all[i]));
    hold(&t, false);
    finish(&t);
    assert_int_equal(walks, 0);
}

static void a_thread_that_is_gone_cannot_be_asked(void **state)
{
    (void)state;
    assert_null(poke_ask(&poke, NOBODY, NULL, 0));
}

static void after_the_close_nobody_walks_and_nobody_dies(void **state)
{
    struct asked t = {0};
    struct poke_cell *c;
    (void)state;
    start(&t);
    hold(&t, true);
    c = poke_ask(&poke, t.tid, NULL, 0);
    poke_close(&poke);
    assert_true(poke_is_quiet(&poke));
    hold(&t, false);
    finish(&t);
    assert_int_equal(walks, 0);
    assert_true(poke_withdraw(c));
}

static void signals_of_others_are_ignored_as_they_were_before(void **state)
{
    (void)state;
    raise(SIGNAL);
    assert_int_equal(walks, 0);
}

static void who_came_first_keeps_the_signal(void **state)
{
    (void)state;
    foreign_seen = 0;
    signal(SIGNAL, on_foreign);
    assert_int_equal(poke_open(&poke), -EBUSY);
    raise(SIGNAL);
    assert_int_equal(foreign_seen, 1);
    signal(SIGNAL, SIG_IGN);
    assert_int_equal(poke_open(&poke), 0);
    poke_close(&poke);
    assert_int_equal(poke_open(&poke), 0); /* its own handler is nobody else's */
    poke_close(&poke);
}

/* ---- threads that the asker walks */

static struct bell bell;

static int begin_stopping(void **state)
{
    poke.asker = &bell;
    return begin(state);
}

static int end_stopping(void **state)
{
    int error = end(state);
    poke.asker = NULL;
    return error;
}

static void a_thread_stops_until_the_asker_has_walked_it(void **state)
{
    struct asked t = {0};
    uint64_t visits = poke.visits;
    bool has_walked = false;
    (void)state;
    start(&t);
    /* A slow machine may come too late: then the thread has walked itself. */
    for (int i = 0; i < WAIT_MS && !has_walked; i++) {
        struct poke_cell *c = poke_ask(&poke, t.tid, NULL, 0);
        assert_non_null(c);
        assert_int_equal(bell_wait(&bell, WAIT_MS), 1);
        has_walked = poke_walk(&poke);
        assert_true(comes(c));
        assert_false(poke_walk(&poke));
        assert_int_equal(c->frames[1].method, MARK);
        poke_free(&poke, c);
    }
    assert_true(has_walked);
    finish(&t);
    assert_true(poke_is_quiet(&poke));
    assert_true(poke.visits - visits == (uint64_t)walks && poke.stopped == 0);
    assert_false(t.has_lost_errno);
}

static void a_thread_whose_asker_does_not_come_walks_itself(void **state)
{
    struct asked t = {0};
    uint64_t spent_ns = poke.spent_ns;
    struct poke_cell *c;
    (void)state;
    start(&t);
    c = poke_ask(&poke, t.tid, NULL, 0);
    assert_non_null(c);
    assert_true(comes(c));
    assert_false(poke_withdraw(c));
    assert_int_equal(walks, 1);
    poke_free(&poke, c);
    finish(&t);
    assert_true(poke.spent_ns - spent_ns >= POKE_STOP_NS);
    assert_false(poke_walk(&poke));
}

static void *walk_all(void *argument)
{
    (void)argument;
    while (walks == 0 && !poke_walk(&poke))
        sched_yield();
    return NULL;
}

static void a_thread_that_is_being_walked_is_not_left(void **state)
{
    struct asked t = {0};
    pthread_t other;
    struct poke_cell *c;
    (void)state;
    may_finish = false;
    start(&t);
    c = poke_ask(&poke, t.tid, NULL, 0);
    pthread_create(&other, NULL, walk_all, NULL);
    while (walks == 0)
        sched_yield();
    poke_close(&poke);
    assert_false(poke_is_answered(c));
    assert_false(poke_is_quiet(&poke));
    may_finish = true;
    pthread_join(other, NULL);
    assert_true(comes(c));
    finish(&t);
    assert_true(poke_is_quiet(&poke));
    assert_int_equal(walks, 1);
    poke_free(&poke, c);
}

/* ---- two askers */

/* The kernel keeps one signal of two: it must answer both. */
static void one_signal_answers_the_questions_of_all_askers(void **state)
{
    static struct poke other, third;
    struct asked t = {0};
    (void)state;
    other = (struct poke){.walker = &marking,
                          .cells = calloc(1, sizeof(*other.cells)),
                          .cell_count = 1,
                          .signal = SIGNAL,
                          .depth = 1};
    assert_non_null(other.cells);
    assert_int_equal(poke_open(&other), 0);
    assert_int_equal(poke_open(&third), -EBUSY);
    start(&t);
    hold(&t, true);
    struct poke_cell *first = poke_ask(&poke, t.tid, NULL, 0),
                     *second = poke_ask(&other, t.tid, NULL, 0);

    assert_null(poke_ask(&other, t.tid, NULL, 0)); /* it has one cell */
    hold(&t, false);
    assert_true(comes(first) && comes(second));
    assert_true(first->result == DEPTH && second->result == 1);
    poke_free(&poke, first);
    poke_free(&other, second);
    poke_close(&other);
    assert_true(poke_is_quiet(&other));
    first = poke_ask(&poke, t.tid, NULL, 0);
    assert_true(comes(first));
    poke_free(&poke, first);
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_came_first_keeps_the_signal),
        cmocka_unit_test_setup_teardown(a_thread_answers_with_its_stack_and_keeps_its_errno, begin,
                                        end),
        cmocka_unit_test_setup_teardown(one_signal_answers_the_questions_of_all_askers, begin, end),
        cmocka_unit_test_setup_teardown(a_question_can_be_taken_back_until_its_thread_comes, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_walk_that_has_begun_is_waited_for, begin, end),
        cmocka_unit_test_setup_teardown(there_are_so_many_questions_at_one_time, begin, end),
        cmocka_unit_test_setup_teardown(a_thread_that_is_gone_cannot_be_asked, begin, end),
        cmocka_unit_test_setup_teardown(after_the_close_nobody_walks_and_nobody_dies, begin, end),
        cmocka_unit_test_setup_teardown(signals_of_others_are_ignored_as_they_were_before, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_thread_stops_until_the_asker_has_walked_it,
                                        begin_stopping, end_stopping),
        cmocka_unit_test_setup_teardown(a_thread_whose_asker_does_not_come_walks_itself,
                                        begin_stopping, end_stopping),
        cmocka_unit_test_setup_teardown(a_thread_that_is_being_walked_is_not_left, begin_stopping,
                                        end_stopping),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
