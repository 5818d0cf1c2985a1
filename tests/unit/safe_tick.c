/*
 * safe_tick.c - from timer to sample, with real timers on a thread of this process and a walker
 * that only leaves a mark. SPDX-License-Identifier: Apache-2.0
 */
#include "safe/tick.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/timer/timer.h"
#include "cmocka_all.h"
#include "safe/clock.h"

enum { SAMPLES = 4096, DEPTH = 2, MARK = 77, WORK_MS = 200, LAST_SLOTS = 100 };

static struct tick tick;
static _Atomic int wakes, foreign_seen;

static int walk(struct walk_request *request, struct walk_frame *frames, uint32_t max,
                bool *ret_truncated)
{
    (void)ret_truncated;
    assert_non_null(request->ucontext);
    for (uint32_t i = 0; i < max; i++)
        frames[i] = (struct walk_frame){.method = MARK, .bci = (int32_t)i};
    return (int)max;
}

static const struct walker marking = {.name = "marking", .walk = walk};

static void wake(void)
{
    atomic_fetch_add(&wakes, 1);
}

static void on_foreign(int signal)
{
    (void)signal;
    atomic_fetch_add(&foreign_seen, 1);
}

static int set_up(void **state)
{
    size_t bytes = ring_bytes(SAMPLES, tick_sample_bytes(DEPTH));
    void *memory = calloc(1, bytes);
    (void)state;
    tick.slots = calloc(TICK_SLOTS, sizeof(*tick.slots));
    tick.slot_of_fd = calloc(TICK_FDS, sizeof(*tick.slot_of_fd));
    if (!memory || !ring_init(&tick.ring, memory, bytes, tick_sample_bytes(DEPTH)))
        return -1;
    tick.signal = SIGPROF;
    tick.walker = &marking;
    tick.depth = DEPTH;
    tick.wake = wake;
    signal(SIGPROF, on_foreign);
    return tick_install(&tick);
}

static uint64_t drained_ns; /* samples are of a later moment */

static uint64_t drain(void)
{
    const struct tick_sample *s;
    uint64_t weight = 0;
    while ((s = ring_peek(&tick.ring)) != NULL) {
        assert_int_equal(s->serial, 5);
        assert_int_equal(s->result, DEPTH); /* the walker gave one more */
        assert_int_equal(s->truncated, 1);
        assert_int_equal(s->frames[0].method, MARK);
        assert_true(s->weight >= 1);
        assert_true(s->time_ns >= drained_ns && s->time_ns <= clock_monotonic_ns());
        weight += s->weight;
        ring_release(&tick.ring);
    }
    drained_ns = clock_monotonic_ns();
    return weight;
}

static void spin(uint64_t ns)
{
    uint64_t end = clock_thread_cpu_ns() + ns;
    while (clock_thread_cpu_ns() < end)
        continue;
}

struct job {
    const struct timer_source *source;
    uint64_t interval_ns, first_ns, work_ns, used_ns;
    int error;
};

/* A thread's life as the agent sees it: armed, work, settled, disarmed. */
static void *live(void *argument)
{
    struct job *job = argument;
    struct tick_slot *slot = tick_slot_open(&tick);
    uint64_t start;
    sigset_t profiling;
    slot->serial = 5;
    slot->tid = gettid();
    slot->kind = TICK_JAVA;
    slot->interval_ns = job->interval_ns;
    start = clock_thread_cpu_ns();
    job->error = timer_start(job->source, &tick, slot, job->first_ns);
    if (!job->error) {
        spin(job->work_ns);
        sigemptyset(&profiling);
        sigaddset(&profiling, SIGPROF);
        pthread_sigmask(SIG_BLOCK, &profiling, NULL);
        tick_settle(&tick, slot, 0);
        job->used_ns = clock_thread_cpu_ns() - start;
        job->source->disarm(&tick, slot);
        pthread_sigmask(SIG_UNBLOCK, &profiling, NULL);
    }
    tick_slot_close(&tick, slot);
    return NULL;
}

static uint64_t run(struct job *job)
{
    uint64_t ended = tick_counts(&tick).ended;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, live, job), 0);
    pthread_join(thread, NULL);
    return drain() + tick_counts(&tick).ended - ended;
}

static void weights_add_up_to_the_thread_s_cpu_time_for_each_source(void **state)
{
    static const uint64_t intervals_ns[] = {10000000, 1000000, 200000};
    (void)state;
    for (int i = 0; timer_all[i]; i++) {
        for (size_t k = 0; k < 3; k++) {
            struct job job = {.source = timer_all[i],
                              .interval_ns = intervals_ns[k],
                              .first_ns = intervals_ns[k] / 2,
                              .work_ns = WORK_MS * UINT64_C(1000000)};
            double intervals, counted = 0;
            if (timer_all[i]->probe() != 0) {
                print_message("TIMER SOURCE %s NOT TESTED: refused here\n", timer_all[i]->name);
                continue;
            }
            counted = (double)run(&job);
            assert_int_equal(job.error, 0);
            intervals = (double)job.used_ns / (double)job.interval_ns;
            /* A perf event does not count the handler's own time. */
            assert_true(counted <= intervals * 1.02 + 1.5);
            assert_true(counted >= intervals * 0.9 - 1.5);
        }
    }
}

static void thread_that_ends_before_a_late_signal_is_counted(void **state)
{
    (void)state;
    for (int i = 0; timer_all[i]; i++) {
        struct job job = {
            .source = timer_all[i], .interval_ns = 1000000, .first_ns = 500000, .work_ns = 600000};
        if (timer_all[i]->probe() != 0)
            continue;
        for (int times = 0; times < 20; times++)
            assert_true(run(&job) >= 1);
    }
}

static void sources_say_no_to_a_thread_that_is_not_there(void **state)
{
    struct tick_slot *slot = tick_slot_open(&tick);
    (void)state;
    slot->tid = 0x3fffffff; /* above any pid_max */
    slot->interval_ns = 1000000;
    for (int i = 0; timer_all[i]; i++) {
        assert_true(timer_start(timer_all[i], &tick, slot, 1000) < 0);
        timer_all[i]->disarm(&tick, slot);
    }
    tick_slot_close(&tick, slot);
}

static void foreign_signals_go_to_the_handler_that_was_there(void **state)
{
    struct tick_counts before = tick_counts(&tick);
    int seen = atomic_load(&foreign_seen);
    union sigval value = {.sival_ptr = &tick};
    (void)state;
    raise(SIGPROF);
    kill(getpid(), SIGPROF);
    sigqueue(getpid(), SIGPROF, value);
    assert_int_equal(atomic_load(&foreign_seen) - seen, 3);
    assert_int_equal(tick_counts(&tick).foreign - before.foreign, 3);
    assert_int_equal(tick_counts(&tick).signals, before.signals);
}

static void signal_of_a_descriptor_that_was_ours_is_swallowed(void **state)
{
    siginfo_t info = {.si_signo = SIGPROF, .si_code = POLL_HUP};
    struct sigaction ours;
    struct tick_slot *slot = tick_slot_open(&tick);
    int seen = atomic_load(&foreign_seen), fd = 4000;
    ucontext_t context;
    (void)state;
    sigaction(SIGPROF, NULL, &ours);
    info.si_fd = fd;
    ours.sa_sigaction(SIGPROF, &info, &context); /* never ours: another profiler's */
    assert_int_equal(atomic_load(&foreign_seen) - seen, 1);
    assert_int_equal(tick_bind_fd(&tick, fd, slot), 0);
    assert_int_equal(tick_bind_fd(&tick, fd, NULL), 0);
    ours.sa_sigaction(SIGPROF, &info, &context);
    assert_int_equal(atomic_load(&foreign_seen) - seen, 1);
    assert_int_equal(tick_bind_fd(&tick, TICK_FDS, slot), -1);
    tick_slot_close(&tick, slot);
}

static void handler_that_was_taken_away_is_put_back(void **state)
{
    int seen = atomic_load(&foreign_seen);
    (void)state;
    assert_int_equal(tick_reinstall(), 0);
    signal(SIGPROF, SIG_IGN);
    assert_int_equal(tick_reinstall(), 1);
    raise(SIGPROF); /* ignored, as the application wants */
    assert_int_equal(atomic_load(&foreign_seen), seen);
    signal(SIGPROF, on_foreign);
    assert_int_equal(tick_reinstall(), 1);
    raise(SIGPROF);
    assert_int_equal(atomic_load(&foreign_seen), seen + 1);
}

static void slots_run_out_and_come_back(void **state)
{
    struct tick_slot *slot, *last = NULL;
    int count = 0;
    (void)state;
    for (int i = 0; i < TICK_SLOTS - LAST_SLOTS; i++) /* one by one they are looked for too long */
        atomic_store(&tick.slots[i].used, 1);
    while ((slot = tick_slot_open(&tick)) != NULL) {
        last = slot;
        count++;
    }
    assert_int_equal(count, LAST_SLOTS);
    tick_slot_close(&tick, last);
    assert_ptr_equal(tick_slot_open(&tick), last);
    for (int i = 0; i < TICK_SLOTS; i++)
        tick_slot_close(&tick, &tick.slots[i]);
}

static void after_the_end_the_application_s_handler_is_back(void **state)
{
    struct sigaction now;
    (void)state;
    tick_stop();
    assert_true(tick_is_quiet());
    tick_uninstall();
    sigaction(SIGPROF, NULL, &now);
    assert_ptr_equal(now.sa_handler, on_foreign);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_add_up_to_the_thread_s_cpu_time_for_each_source),
        cmocka_unit_test(thread_that_ends_before_a_late_signal_is_counted),
        cmocka_unit_test(sources_say_no_to_a_thread_that_is_not_there),
        cmocka_unit_test(foreign_signals_go_to_the_handler_that_was_there),
        cmocka_unit_test(signal_of_a_descriptor_that_was_ours_is_swallowed),
        cmocka_unit_test(handler_that_was_taken_away_is_put_back),
        cmocka_unit_test(slots_run_out_and_come_back),
        cmocka_unit_test(after_the_end_the_application_s_handler_is_back),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
