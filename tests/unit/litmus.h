/*
 * litmus.h - runs a few threads in all orders that the memory model of C allows, weak ones too.
 *
 * A test includes a C file whose atomics are calls of this file (litmus/stdatomic.h). Its threads
 * are coroutines. Before each atomic operation the enumeration chooses the thread that goes on, and
 * for each load the value: every store that the loading thread may still see, as a CPU of aarch64
 * may return it, and not only the last one. An execution is wrong if litmus_require() fails in it,
 * or if two threads access one word without order between them and one of the two is no atomic
 * operation (a data race: such an access may see half of a change).
 *
 * The model is that of C11 with these limits: stores to one word are seen in the order in which
 * they were executed here, no load sees a store that is executed later, a weak compare-and-exchange
 * fails only for a reason, and a thread is interrupted at most LITMUS_SWITCHES times before its
 * end. What is found is an error of the code; what is not found is proved for these limits.
 *
 * litmus_weaken() makes the operations of one line relaxed. A test that then finds an error has
 * shown that the line's order is needed; so a test tells why each order is there.
 * Context: one thread; the coroutines call no function that blocks.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LITMUS_THREADS = 4, LITMUS_SWITCHES = 3 };
enum litmus_change { LITMUS_SET, LITMUS_ADD, LITMUS_OR };

struct litmus {
    void (*setup)(void);                   /* before the threads, which see all that it stores */
    void (*threads[LITMUS_THREADS])(void); /* up to the first NULL */
    void (*end)(void); /* after the threads; sees all that they stored; may be NULL */
    unsigned switches; /* how often a thread is interrupted; 0: LITMUS_SWITCHES */
};

/** Enumerates. Returns how many executions there are; 0 if one was wrong, and then
 * litmus_wrong() says what is wrong. */
uint64_t litmus_run(const struct litmus *l);
const char *litmus_wrong(void);
/** Makes the atomic operations of that line of the code under test relaxed, in the next
 * litmus_run()s; 0: none. */
void litmus_weaken(int line);
/** The lines of operations that are not relaxed and have run since the start, in their order.
 * Returns how many. */
int litmus_lines(int *ret_lines, int max);

/** For code under test and its threads. */
uint64_t litmus_load(void *at, size_t bytes, int order, int line);
void litmus_store(void *at, size_t bytes, uint64_t value, int order, int line);
uint64_t litmus_change(void *at, size_t bytes, enum litmus_change change, uint64_t value, int order,
                       int line);
bool litmus_exchange(void *at, size_t bytes, void *expected, uint64_t value, int order, int failed,
                     int line);
void litmus_fence(int order, int line);
/** Plain accesses: these words are read, or have just been written. */
void litmus_read(const void *at, size_t bytes);
void litmus_written(void *at, size_t bytes);
void litmus_require(bool is_right, const char *what);
