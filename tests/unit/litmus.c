/*
 * litmus.c - see litmus.h.
 *
 * A word has a list of stores. A thread has a view: for each word the oldest store that it may
 * still see, and for each thread how much of that thread's work lies before its own. A store with
 * release carries the view of its thread; a load with acquire that sees the store takes it over.
 * seq_cst has, beside that, one more view that all threads share.
 * Source: C11 5.1.2.4 and 7.17.3; the form is that of Kang and others, "A promising semantics for
 * relaxed-memory concurrency" (POPL 2017), without promises.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "litmus.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
    WORDS = 160,
    STORES = 24, /* of one word in one execution */
    CHOICES = 512,
    LINES = 128,
    MAIN = LITMUS_THREADS,
    VIEWERS = LITMUS_THREADS + 1,
    STACK_BYTES = 64 << 10,
};

struct view {
    uint8_t store[WORDS];
    uint16_t clock[VIEWERS];
};

struct word {
    uintptr_t at;
    size_t bytes;
    unsigned count;
    struct store {
        uint64_t value;
        struct view view;
    } stores[STORES];
    /* when each thread last touched it, on that thread's clock */
    uint16_t plain_read[VIEWERS], plain_write[VIEWERS], atomic_read[VIEWERS], atomic_write[VIEWERS];
};

struct thread {
    ucontext_t context;
    unsigned char stack[STACK_BYTES] __attribute__((aligned(16)));
    bool is_over;
    struct view now, acquired, released; /* the last two for fences */
};

static struct {
    const struct litmus *test;
    struct word words[WORDS];
    unsigned word_count;
    struct thread threads[VIEWERS];
    unsigned thread_count, current, switches;
    struct view all; /* of seq_cst */
    bool is_running; /* the threads, not setup or end */
    /* the way to this execution: what was chosen of how many */
    struct {
        uint8_t chosen, of;
    } choices[CHOICES];
    unsigned choice_count, at;
    const char *wrong;
    char text[200];
    int weakened, lines[LINES], line_count;
} g;

const char *litmus_wrong(void)
{
    return g.wrong;
}

void litmus_weaken(int line)
{
    g.weakened = line;
}

int litmus_lines(int *ret_lines, int max)
{
    int count = g.line_count < max ? g.line_count : max;
    memcpy(ret_lines, g.lines, (size_t)count * sizeof(*ret_lines));
    return count;
}

/* ---- choices and coroutines */

static unsigned choose(unsigned of)
{
    if (of <= 1)
        return 0;
    if (g.at == CHOICES) {
        fprintf(stderr, "litmus: more than %d choices in one execution\n", CHOICES);
        abort();
    }
    if (g.at == g.choice_count) {
        g.choices[g.choice_count].chosen = 0;
        g.choices[g.choice_count++].of = (uint8_t)of;
    }
    return g.choices[g.at++].chosen;
}

/* Goes on to the next way; false: there is none. */
static bool next_way(void)
{
    while (g.choice_count > 0) {
        if (++g.choices[g.choice_count - 1].chosen < g.choices[g.choice_count - 1].of)
            return true;
        g.choice_count--;
    }
    return false;
}

static void go_to(unsigned thread)
{
    unsigned from = g.current;
    if (thread == from)
        return;
    g.current = thread;
    swapcontext(&g.threads[from].context, &g.threads[thread].context);
}

/* An execution that went wrong is left at once. */
static void fail(const char *what)
{
    if (!g.wrong)
        g.wrong = what;
    if (g.is_running)
        go_to(MAIN);
}

void litmus_require(bool is_right, const char *what)
{
    if (!is_right)
        fail(what);
}

static unsigned others_that_run(unsigned *ret_others)
{
    unsigned count = 0;
    for (unsigned i = 0; i < g.thread_count; i++) {
        if (i != g.current && !g.threads[i].is_over)
            ret_others[count++] = i;
    }
    return count;
}

/* A place where another thread may go on. */
static void may_switch(void)
{
    unsigned others[LITMUS_THREADS], count;
    if (!g.is_running || g.switches == (g.test->switches ? g.test->switches : LITMUS_SWITCHES))
        return;
    count = others_that_run(others);
    unsigned chosen = choose(count + 1);
    if (chosen == 0)
        return;
    g.switches++;
    go_to(others[chosen - 1]);
}

static void run_thread(void)
{
    unsigned others[LITMUS_THREADS], count, me = g.current;
    g.test->threads[me]();
    g.threads[me].is_over = true;
    count = others_that_run(others);
    go_to(count > 0 ? others[choose(count)] : MAIN);
}

/* ---- memory */

static struct view *view_now(void)
{
    return &g.threads[g.current].now;
}

static void join(struct view *to, const struct view *from)
{
    for (unsigned i = 0; i < g.word_count; i++)
        to->store[i] = to->store[i] > from->store[i] ? to->store[i] : from->store[i];
    for (unsigned i = 0; i < VIEWERS; i++)
        to->clock[i] = to->clock[i] > from->clock[i] ? to->clock[i] : from->clock[i];
}

static uint64_t value_at(const void *at, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    return value;
}

static struct word *word_of(const void *at, size_t bytes)
{
    for (unsigned i = 0; i < g.word_count; i++) {
        if (g.words[i].at == (uintptr_t)at)
            return &g.words[i];
    }
    if (g.word_count == WORDS) {
        fprintf(stderr, "litmus: more than %d words\n", WORDS);
        abort();
    }
    struct word *w = &g.words[g.word_count++];
    memset(w, 0, offsetof(struct word, stores));
    memset(w->plain_read, 0, sizeof(*w) - offsetof(struct word, plain_read));
    w->at = (uintptr_t)at;
    w->bytes = bytes;
    w->count = 1; /* what the memory has: seen by all */
    w->stores[0] = (struct store){.value = value_at(at, bytes)};
    return w;
}

static unsigned index_of(const struct word *w)
{
    return (unsigned)(w - g.words);
}

/* Whether another thread has touched the word and is not before us. */
static bool is_unordered(const uint16_t *touched)
{
    for (unsigned i = 0; i < VIEWERS; i++) {
        if (i != g.current && touched[i] > view_now()->clock[i])
            return true;
    }
    return false;
}

static void race(const struct word *w, const char *what, int line)
{
    snprintf(g.text, sizeof(g.text), "%s, thread %u, line %d, word %lx", what, g.current, line,
             (unsigned long)w->at);
    fail(g.text);
}

static void touch(uint16_t *touched)
{
    touched[g.current] = ++view_now()->clock[g.current];
}

static void append(struct word *w, uint64_t value, const struct view *carried)
{
    if (w->count == STORES) {
        fprintf(stderr, "litmus: more than %d stores to one word\n", STORES);
        abort();
    }
    view_now()->store[index_of(w)] = (uint8_t)w->count;
    struct store *s = &w->stores[w->count++];
    s->value = value;
    s->view = *carried;
    s->view.store[index_of(w)] = (uint8_t)(w->count - 1);
    memcpy((void *)w->at, &value, w->bytes);
}

static int weakened(int order, int line)
{
    int at = 0;
    if (order == __ATOMIC_RELAXED)
        return order;
    while (at < g.line_count && g.lines[at] != line)
        at++;
    if (at == g.line_count && g.is_running && at < LINES)
        g.lines[g.line_count++] = line;
    return line == g.weakened ? __ATOMIC_RELAXED : order;
}

static bool acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static void see(const struct word *w, unsigned store, int order)
{
    struct thread *t = &g.threads[g.current];
    const struct store *s = &w->stores[store];
    t->now.store[index_of(w)] = (uint8_t)store;
    join(&t->acquired, &s->view);
    if (acquires(order))
        join(&t->now, &s->view);
}

static unsigned oldest_seen(const struct word *w, int order)
{
    unsigned i = index_of(w), own = view_now()->store[i];
    return order == __ATOMIC_SEQ_CST && g.all.store[i] > own ? g.all.store[i] : own;
}

static void store_to(struct word *w, uint64_t value, int order, const struct store *changed)
{
    struct thread *t = &g.threads[g.current];
    if (is_unordered(w->plain_read) || is_unordered(w->plain_write))
        race(w, "an atomic store beside a plain access", 0);
    touch(w->atomic_write);
    struct view carried = releases(order) ? t->now : t->released;
    if (changed) /* who sees this store is after the store that it changed, too */
        join(&carried, &changed->view);
    append(w, value, &carried);
    if (order == __ATOMIC_SEQ_CST)
        g.all.store[index_of(w)] = (uint8_t)(w->count - 1);
}

uint64_t litmus_load(void *at, size_t bytes, int order, int line)
{
    may_switch();
    struct word *w = word_of(at, bytes);
    order = weakened(order, line);
    if (is_unordered(w->plain_write))
        race(w, "an atomic load beside a plain store", line);
    touch(w->atomic_read);
    unsigned oldest = oldest_seen(w, order);
    /* The newest first: it is what happens most. */
    unsigned seen = w->count - 1 - choose(w->count - oldest);
    see(w, seen, order);
    return w->stores[seen].value;
}

void litmus_store(void *at, size_t bytes, uint64_t value, int order, int line)
{
    may_switch();
    store_to(word_of(at, bytes), value, weakened(order, line), NULL);
}

uint64_t litmus_change(void *at, size_t bytes, enum litmus_change change, uint64_t value, int order,
                       int line)
{
    may_switch();
    struct word *w = word_of(at, bytes);
    order = weakened(order, line);
    const struct store changed = w->stores[w->count - 1];
    touch(w->atomic_read);
    see(w, w->count - 1, order);
    uint64_t made = change == LITMUS_SET   ? value
                    : change == LITMUS_ADD ? changed.value + value
                                           : (changed.value | value);
    if (bytes < sizeof(made))
        made &= ((uint64_t)1 << (bytes * 8)) - 1;
    store_to(w, made, order, &changed);
    return changed.value;
}

bool litmus_exchange(void *at, size_t bytes, void *expected, uint64_t value, int order, int failed,
                     int line)
{
    may_switch();
    struct word *w = word_of(at, bytes);
    uint64_t wanted = value_at(expected, bytes);
    unsigned stale[STORES], count = 0;
    order = weakened(order, line);
    failed = weakened(failed, line);
    touch(w->atomic_read);
    /* It succeeds if the newest store has the value; it fails with any other value that may be
     * seen. */
    bool may_succeed = w->stores[w->count - 1].value == wanted;
    for (unsigned i = w->count; i-- > oldest_seen(w, failed);) {
        if (w->stores[i].value != wanted)
            stale[count++] = i;
    }
    unsigned chosen = choose(count + may_succeed);
    if (may_succeed && chosen == 0) {
        const struct store changed = w->stores[w->count - 1];
        see(w, w->count - 1, order);
        store_to(w, value, order, &changed);
        return true;
    }
    unsigned seen = stale[chosen - may_succeed];
    see(w, seen, failed);
    memcpy(expected, &w->stores[seen].value, bytes);
    return false;
}

void litmus_fence(int order, int line)
{
    struct thread *t = &g.threads[g.current];
    order = weakened(order, line);
    if (acquires(order))
        join(&t->now, &t->acquired);
    if (order == __ATOMIC_SEQ_CST) {
        join(&t->now, &g.all);
        join(&g.all, &t->now);
    }
    if (releases(order))
        t->released = t->now;
}

/* The words of a plain access: those of eight bytes each. */
void litmus_read(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 8) {
        struct word *w = word_of((const char *)at + i, bytes - i < 8 ? bytes - i : 8);
        if (is_unordered(w->plain_write) || is_unordered(w->atomic_write))
            race(w, "a plain load beside a store", 0);
        touch(w->plain_read);
    }
}

void litmus_written(void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 8) {
        size_t part = bytes - i < 8 ? bytes - i : 8;
        const char *from = (const char *)at + i;
        uint64_t value = value_at(from, part);
        struct word *w = word_of(from, part);
        if (is_unordered(w->plain_write) || is_unordered(w->atomic_write) ||
            is_unordered(w->plain_read) || is_unordered(w->atomic_read))
            race(w, "a plain store beside another access", 0);
        touch(w->plain_write);
        append(w, value, &g.threads[g.current].released);
    }
}

/* ---- executions */

static void begin(void)
{
    g.word_count = g.switches = g.at = 0;
    g.current = MAIN;
    g.is_running = false;
    memset(&g.all, 0, sizeof(g.all));
    for (unsigned i = 0; i < VIEWERS; i++) {
        struct thread *t = &g.threads[i];
        memset(&t->now, 0, sizeof(t->now));
        t->acquired = t->released = t->now;
        t->is_over = false;
    }
}

static void run_once(void)
{
    begin();
    g.test->setup();
    for (unsigned i = 0; i < g.thread_count; i++) {
        struct thread *t = &g.threads[i];
        t->now = t->acquired = t->released = g.threads[MAIN].now;
        getcontext(&t->context);
        t->context.uc_stack.ss_sp = t->stack;
        t->context.uc_stack.ss_size = sizeof(t->stack);
        t->context.uc_link = NULL;
        makecontext(&t->context, run_thread, 0);
    }
    g.is_running = true;
    go_to(choose(g.thread_count));
    g.is_running = false;
    for (unsigned i = 0; i < g.thread_count; i++)
        join(&g.threads[MAIN].now, &g.threads[i].now);
    if (!g.wrong && g.test->end)
        g.test->end();
}

uint64_t litmus_run(const struct litmus *l)
{
    uint64_t executions = 0;
    g.test = l;
    g.wrong = NULL;
    g.choice_count = 0;
    for (g.thread_count = 0; g.thread_count < LITMUS_THREADS && l->threads[g.thread_count];)
        g.thread_count++;
    do {
        run_once();
        executions++;
    } while (!g.wrong && next_way());
    return g.wrong ? 0 : executions;
}
