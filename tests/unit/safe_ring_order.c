/*
 * safe_ring_order.c - ring.c in all orders that the memory model of C allows, and why each of its
 * orders is there.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "litmus.h"
#include "cmocka_all.h"
#include "litmus/litmus_plain.h"
#include "safe/ring.c"
#undef memcpy
#undef memset

enum { PAYLOAD = 16, ROOM = 200 }; /* two drafts, and two records */

static struct ring ring;
static _Alignas(64) unsigned char memory[ROOM];
static uint64_t published[2], seen, in_vain;

static void make(void)
{
    memset(memory, 0, sizeof(memory));
    assert_true(ring_init(&ring, memory, sizeof(memory), PAYLOAD));
    published[0] = published[1] = seen = in_vain = 0;
}

/* A record is two words: its writer's number and how many that writer has published before, twice.
 */
static void put(unsigned writer)
{
    uint64_t *draft = ring_claim(&ring);
    if (draft) {
        draft[0] = writer << 8 | published[writer];
        draft[1] = ~draft[0];
        litmus_written(draft, PAYLOAD);
        if (ring_publish(&ring, draft, PAYLOAD) != RING_LOST) {
            published[writer]++;
            return;
        }
    }
    in_vain++;
}

static bool take(void)
{
    const uint64_t *record = ring_peek(&ring);
    if (!record)
        return false;
    litmus_read(record, PAYLOAD);
    litmus_require(record[0] == ~record[1], "a record that is half written");
    litmus_require(record[0] >> 8 < 2, "a record that nobody wrote");
    seen++;
    ring_release(&ring);
    return true;
}

static void writer_0(void)
{
    put(0);
}

static void writer_0_twice(void)
{
    put(0);
    put(0);
}

static void writer_1(void)
{
    put(1);
}

static void reader(void)
{
    take();
    take();
}

static void nothing_is_left(void)
{
    while (take())
        ;
    litmus_require(seen == published[0] + published[1], "a record that nobody read");
    litmus_require(in_vain == ring.lost, "a loss that was not counted");
    litmus_require(ring_is_read(&ring, ring_end(&ring)), "a ring that is not empty");
}

static const struct litmus two_writers = {make, {writer_0, writer_1, reader}, nothing_is_left, 2};
static const struct litmus full = {make, {writer_0_twice, writer_1, reader}, nothing_is_left, 1};

static void expect_right(const struct litmus *l, uint64_t at_least)
{
    uint64_t executions = litmus_run(l);
    if (executions == 0)
        fail_msg("%s", litmus_wrong());
    print_message("%lu executions\n", (unsigned long)executions);
    assert_true(executions >= at_least);
}

static void records_of_two_writers_come_out_whole(void **state)
{
    (void)state;
    expect_right(&two_writers, 1000);
}

static void a_full_ring_gives_no_byte_to_two_owners(void **state)
{
    (void)state;
    expect_right(&full, 1000);
}

/* Without its order a line lets something wrong happen: an order that nobody needs fails here. */
static void each_order_is_needed(void **state)
{
    int lines[64], count = litmus_lines(lines, 64);
    (void)state;
    assert_int_equal(count, 6);
    for (int i = 0; i < count; i++) {
        litmus_weaken(lines[i]);
        if (litmus_run(&two_writers) != 0 && litmus_run(&full) != 0)
            fail_msg("ring.c:%d may be relaxed", lines[i]);
        print_message("ring.c:%d relaxed: %s\n", lines[i], litmus_wrong());
    }
    litmus_weaken(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_two_writers_come_out_whole),
        cmocka_unit_test(a_full_ring_gives_no_byte_to_two_owners),
        cmocka_unit_test(each_order_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
