/*
 * metric_vm_threads.c - see metric_vm_threads.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "metrics/metric_vm_threads.h"
#include <stdlib.h>
#include <string.h>
#include "metrics/metric.h"
#include "metrics/metric_vm.h"

enum { WORD = 8, TRIES = 3 };

/* ---- states */

/* The states of the conventions, in the order of the output. */
enum state { NEW, RUNNABLE, BLOCKED, WAITING, TIMED_WAITING, TERMINATED, STATES };

static const char *const words[STATES] = {
    [NEW] = "new",         [RUNNABLE] = "runnable",           [BLOCKED] = "blocked",
    [WAITING] = "waiting", [TIMED_WAITING] = "timed_waiting", [TERMINATED] = "terminated"};

/* The words that Thread.getState() has for the states; a longer word comes first. */
static const struct {
    const char *begin;
    enum state state;
} java_words[] = {{"NEW", NEW},         {"RUNNABLE", RUNNABLE},
                  {"BLOCKED", BLOCKED}, {"TIMED_WAITING", TIMED_WAITING},
                  {"WAITING", WAITING}, {"TERMINATED", TERMINATED}};

static enum state state_of(uint32_t status)
{
    const char *text = java_threads_state(status);
    for (size_t i = 0; i < sizeof(java_words) / sizeof(*java_words); i++)
        if (strncmp(text, java_words[i].begin, strlen(java_words[i].begin)) == 0)
            return java_words[i].state;
    return RUNNABLE;
}

/* Threads that the VM hides. A '*' stands for any number. */
static const char *const hidden[] = {
    "C1 CompilerThread*",       "C2 CompilerThread*",
    "JVMCI CompilerThread*",    "Service Thread",
    "Sweeper thread",           "StrDedup",
    "Monitor Deflation Thread", "Surrogate Locker Thread (Concurrent GC)",
};

bool metric_vm_threads_is_hidden(const char *name)
{
    for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++) {
        size_t len = strcspn(hidden[i], "*");
        bool has_number = hidden[i][len] == '*';
        if (strncmp(name, hidden[i], len) == 0 &&
            (has_number ? name[len + strspn(name + len, "0123456789")] == '\0' : name[len] == '\0'))
            return true;
    }
    return false;
}

static void count_states(const struct java_threads *threads, struct metric_set *s)
{
    uint32_t counts[2][STATES] = {{0}};
    for (uint32_t i = 0; i < threads->platform_count; i++) {
        const struct java_thread *t = &threads->rows[i];
        bool is_hidden = t->is_daemon && t->name && metric_vm_threads_is_hidden(t->name);
        if (t->object != 0 && !is_hidden)
            counts[t->is_daemon][state_of(t->status)]++;
    }
    for (int daemon = 0; daemon < 2; daemon++)
        for (int state = 0; state < STATES; state++)
            metric_set_add(s, (struct metric_sample){
                                  .id = METRIC_THREAD_COUNT,
                                  .value = counts[daemon][state],
                                  .labels = {{"jvm.thread.daemon", daemon ? "true" : "false"},
                                             {"jvm.thread.state", words[state]}}});
}

/* ---- allocation */

static int by_thread(const void *a, const void *b)
{
    const struct metric_allocated *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Replaces the rows of the last reading. The rows of threads that are gone are added to
 * `ended_bytes`: rows are kept if the VM does not count what ended threads had allocated. */
static void keep_rows(struct metric_vm *vm, struct metric_allocated *rows, uint32_t count)
{
    qsort(rows, count, sizeof(*rows), by_thread);
    for (uint32_t i = 0; i < vm->seen_count; i++)
        if (!bsearch(&vm->seen[i], rows, count, sizeof(*rows), by_thread))
            vm->ended_bytes += vm->seen[i].bytes;
    free(vm->seen);
    vm->seen = rows;
    vm->seen_count = count;
}

static uint64_t add_rows(struct metric_vm *vm, const struct java_threads *threads)
{
    size_t room = ((size_t)threads->platform_count + 1) * sizeof(struct metric_allocated);
    struct metric_allocated *rows = vm->at.exited == 0 ? malloc(room) : NULL;
    uint64_t sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < threads->platform_count; i++) {
        const struct java_thread *t = &threads->rows[i];
        uint64_t bytes = java_threads_allocated_bytes(&vm->allocated, &vm->target, t->addr);
        sum += bytes;
        if (rows)
            rows[count++] = (struct metric_allocated){t->addr, t->id, bytes};
    }
    if (rows)
        keep_rows(vm, rows, count);
    return sum + vm->ended_bytes;
}

/* What threads have allocated that have ended, as the VM counts it. */
static uint64_t exited(struct metric_vm *vm)
{
    uint64_t bytes = 0;
    if (vm->at.exited != 0 && mem_live_read_now(&vm->live, vm->at.exited, &bytes, WORD) < 0)
        bytes = 0;
    return bytes;
}

bool metric_vm_threads_read(struct metric_vm *vm, struct metric_set *s)
{
    struct java_threads threads;
    uint64_t sum = 0;
    if (!vm->has_oops)
        return false;
    /* A thread that ends during the reading would be counted twice, or not at all: then everything
     * is read again. */
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = exited(vm);
        mem_live_forget(&vm->live);
        if (java_threads_read(&vm->oops, &threads) < 0)
            return false;
        sum = add_rows(vm, &threads) + before;
        if (exited(vm) == before || i == TRIES - 1)
            break;
        java_threads_done(&threads);
    }
    count_states(&threads, s);
    java_threads_done(&threads);
    /* The sum never falls, even if a thread was missed that has just ended. */
    if (sum > vm->total_bytes)
        vm->total_bytes = sum;
    if (vm->allocated.is_known)
        metric_set_value(s, METRIC_ALLOCATED, (double)vm->total_bytes);
    return true;
}
