/*
 * times_clock.c - see times_clock.h. Costs of each clock: docs/times.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_clock.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include "agent/log.h"
#include "agent/times/times_counter.h"
#include "agent/times/times_cpu.h"
#include "base/err.h"
#include "base/os_thread.h"
#include "options/options_times.h"
#include "safe/clock.h"

enum {
    TICK_NS = 100000,
    PAIR_TRIES = 8,
};

static struct {
    enum times_clock kind;
    int64_t counter, ns; /* values of both clocks at one moment of the start */
    _Atomic int64_t tick;
    pthread_t ticker;
    _Atomic bool is_ticking; /* the ticker's thread exists, and goes on */
} state;

int times_clock_choose(const char *name, enum times_clock *ret)
{
    if (!name[0]) {
        *ret = times_counter_is_safe() ? TIMES_CLOCK_TSC : TIMES_CLOCK_NANO;
        return 0;
    }
    for (int i = 0; options_times_clocks[i]; i++) {
        if (strcmp(name, options_times_clocks[i]) != 0)
            continue;
        if (i == TIMES_CLOCK_TSC && !times_counter_is_safe()) {
            log_error("clock=tsc is not safe here (the kernel does not use it): leave clock= out");
            return E_UNSUPPORTED;
        }
        *ret = (enum times_clock)i;
        return 0;
    }
    return E_NOT_FOUND; /* the option's check has accepted only known names */
}

const char *times_clock_name(enum times_clock clock)
{
    return options_times_clocks[clock];
}

/* Read the counter and the kernel's clock at one moment: the closest of some tries. */
static void read_pair(int64_t *ret_counter, int64_t *ret_ns)
{
    int64_t best = INT64_MAX;
    *ret_counter = *ret_ns = 0;
    for (int i = 0; i < PAIR_TRIES; i++) {
        int64_t before = times_counter_read(), ns = (int64_t)clock_monotonic_ns(),
                after = times_counter_read();
        if (after - before < best) {
            best = after - before;
            *ret_counter = before + best / 2;
            *ret_ns = ns;
        }
    }
}

static void *run_ticker(void *argument)
{
    const struct timespec pause = {0, TICK_NS};
    while (atomic_load_explicit(&state.is_ticking, memory_order_relaxed)) {
        atomic_store_explicit(&state.tick, (int64_t)clock_monotonic_ns(), memory_order_relaxed);
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
    return NULL;
}

static void start_cpu(void)
{
    int error = times_cpu_start();
    if (error)
        log_note("clock=cpu: no pages of perf events here (%s): each look at the clock is a system "
                 "call, see docs/times.md",
                 err_text(error));
}

int times_clock_start(enum times_clock clock)
{
    int error;
    state.kind = clock;
    state.tick = (int64_t)clock_monotonic_ns();
    read_pair(&state.counter, &state.ns);
    if (clock == TIMES_CLOCK_CPU)
        start_cpu();
    if (clock != TIMES_CLOCK_TICK)
        return 0;
    atomic_store(&state.is_ticking, true);
    error = os_thread_start(&state.ticker, "HPROF clock", run_ticker, NULL);
    if (error)
        atomic_store(&state.is_ticking, false);
    return error ? E_UNSUPPORTED : 0;
}

void times_clock_stop(void)
{
    if (atomic_exchange(&state.is_ticking, false))
        pthread_join(state.ticker, NULL);
}

int64_t times_clock_now(struct times_cpu *cpu)
{
    switch (state.kind) {
    case TIMES_CLOCK_TSC:
        return times_counter_read();
    case TIMES_CLOCK_NANO:
        return (int64_t)clock_monotonic_ns();
    case TIMES_CLOCK_TICK:
        return atomic_load_explicit(&state.tick, memory_order_relaxed);
    case TIMES_CLOCK_CPU:
        return cpu ? times_cpu_now(cpu) : 0;
    default:
        return 0;
    }
}

int64_t times_clock_now_of(const struct times_cpu *cpu)
{
    return state.kind == TIMES_CLOCK_CPU ? times_cpu_now_of(cpu) : times_clock_now(NULL);
}

const int64_t *times_clock_tick(void)
{
    return (const int64_t *)&state.tick;
}

double times_clock_unit_ns(void)
{
    int64_t units, ns;
    if (state.kind != TIMES_CLOCK_TSC)
        return 1;
    read_pair(&units, &ns);
    return units > state.counter ? (double)(ns - state.ns) / (double)(units - state.counter) : 1;
}
