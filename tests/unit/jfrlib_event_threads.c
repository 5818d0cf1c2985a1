/* jfrlib_event_threads.c - many handles of libhprofjfr in many threads. Its name makes tests/run
 * run it under TSan, too. SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include "cmocka_all.h"
#include "jfrlib_reading.h"

enum { THREADS = 4, ROUNDS = 50 };

struct reading {
    const unsigned char *bytes;
    size_t len;
    unsigned events, failures;
};

/* The bytes are shared; each thread has handles of its own. */
static void *read_often(void *from)
{
    struct reading *r = from;
    for (int i = 0; i < ROUNDS; i++) {
        struct hprof_jfr *jfr = hprof_jfr_open_memory(r->bytes, r->len, NULL, NULL);
        unsigned count = 0;
        r->failures += !jfr || jfrlib_reading_all(jfr, &count) != HPROF_JFR_END;
        r->events += count;
        hprof_jfr_close(jfr);
    }
    return NULL;
}

static void handles_of_many_threads_do_not_meet(void **state)
{
    struct reading readings[THREADS];
    pthread_t threads[THREADS];
    size_t len;
    unsigned char *bytes = jfrlib_reading_bytes("small.jfr", &len);
    (void)state;
    for (int i = 0; i < THREADS; i++) {
        readings[i] = (struct reading){bytes, len, 0, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &readings[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(readings[i].failures, 0);
        assert_int_equal(readings[i].events, ROUNDS * CHUNKS * EVENTS_OF_A_CHUNK);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(handles_of_many_threads_do_not_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
