/*
 * probe_probe_ring.c - what the kernel is asked to copy at a hit, a record as the kernel writes it,
 * and the rings of several processors in one order.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_ring.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "cmocka_all.h"

static void test_a_probe_with_a_stack_asks_for_registers_and_bytes(void **state)
{
    const struct probe_ring r = {.type = 9,
                                 .counter_shift = 32,
                                 .registers = probe_ring_walk_registers(),
                                 .stack_bytes = 32768};
    static const char path[] = "/proc/1/map_files/0-1000";
    const struct probe_ring_place place = {path, 0x1234, 0x55, false, 0};
    struct perf_event_attr attr = probe_ring_attr(&r, &place);
    (void)state;
    assert_int_equal(attr.type, 9);
    assert_int_equal(attr.size, sizeof(attr));
    assert_int_equal(attr.sample_period, 1);
    assert_int_equal(attr.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                           PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
#if defined(__x86_64__)
    assert_int_equal(attr.sample_regs_user, 1u << 6 | 1u << 7 | 1u << 8); /* rbp rsp rip */
#endif
    assert_int_equal(attr.sample_stack_user, 32768);
    assert_int_equal(attr.config, UINT64_C(0x55) << 32);
    assert_int_equal(attr.probe_offset, 0x1234);
    assert_true(attr.uprobe_path == (uint64_t)(uintptr_t)path);
    assert_true(attr.disabled && attr.use_clockid);
}

static void test_a_probe_without_arguments_and_stack_copies_nothing(void **state)
{
    const struct probe_ring r = {.type = 9, .counter_shift = -1};
    const struct probe_ring_place place = {"/x", 1, 0, false, 0};
    struct perf_event_attr attr = probe_ring_attr(&r, &place);
    (void)state;
    assert_int_equal(attr.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
    assert_int_equal(attr.sample_stack_user, 0);
    assert_int_equal(attr.config, 0);
}

static void test_a_return_is_asked_for_by_its_bit(void **state)
{
    const struct probe_ring r = {.type = 9, .counter_shift = 32, .return_bit = 0};
    const struct probe_ring_place place = {"/x", 1, 0, true, 0};
    (void)state;
    assert_int_equal(probe_ring_attr(&r, &place).config, 1);
    const struct probe_ring old = {.type = 9, .counter_shift = 32, .return_bit = -1};
    struct probe_ring cannot = old;
    assert_int_equal(probe_ring_add(&cannot, &place), -EOPNOTSUPP);
}

/* ---- rings of two processors, as the kernel fills them */

enum { PROCESSORS = 2, PAGE = 4096, RECORD_MOST = 1 << 16 };

struct rings {
    struct probe_ring ring;
    struct probe_ring_of of[PROCESSORS];
    struct probe_ring_event event;
    char seen[512]; /* what was taken: "h10 x5 l3 " */
};

static void take_hit(void *with, const struct probe_ring_hit *hit)
{
    struct rings *r = with;
    size_t at = strlen(r->seen);
    snprintf(r->seen + at, sizeof(r->seen) - at, "h%d ", (int)hit->time_ns);
}

static void take_exit(void *with, pid_t pid, pid_t tid)
{
    struct rings *r = with;
    size_t at = strlen(r->seen);
    assert_int_equal(pid, 4);
    snprintf(r->seen + at, sizeof(r->seen) - at, "x%d ", (int)tid);
}

static void take_lost(void *with, uint64_t count)
{
    struct rings *r = with;
    size_t at = strlen(r->seen);
    snprintf(r->seen + at, sizeof(r->seen) - at, "l%d ", (int)count);
}

static void open_rings(struct rings *r)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    memset(r, 0, sizeof(*r));
    r->event = (struct probe_ring_event){.site = 3, .id = 77};
    r->ring = (struct probe_ring){.processors = PROCESSORS,
                                  .of = r->of,
                                  .events = &r->event,
                                  .count = 1,
                                  .bytes = PAGE,
                                  .record = malloc(RECORD_MOST)};
    for (int i = 0; i < PROCESSORS; i++)
        r->of[i] = (struct probe_ring_of){.fd = -1, .page = calloc(1, page + PAGE)};
}

static void close_rings(struct rings *r)
{
    for (int i = 0; i < PROCESSORS; i++)
        free(r->of[i].page);
    free(r->ring.record);
}

static void put(struct rings *r, int cpu, uint16_t type, const uint64_t *words, size_t count)
{
    struct perf_event_mmap_page *page = r->of[cpu].page;
    unsigned char *ring = (unsigned char *)page + sysconf(_SC_PAGESIZE), bytes[64];
    struct perf_event_header head = {.type = type, .size = (uint16_t)(sizeof(head) + count * 8)};
    memcpy(bytes, &head, sizeof(head));
    memcpy(bytes + sizeof(head), words, count * 8);
    for (size_t i = 0; i < head.size; i++)
        ring[(page->data_head + i) % PAGE] = bytes[i];
    page->data_head += head.size;
}

static void put_hit(struct rings *r, int cpu, uint64_t time_ns)
{
    const uint64_t words[] = {77, UINT64_C(5) << 32 | 4, time_ns};
    put(r, cpu, PERF_RECORD_SAMPLE, words, 3);
}

static void test_rings_are_read_in_the_order_of_time(void **state)
{
    struct rings r;
    (void)state;
    open_rings(&r);
    const struct probe_ring_taker taker = {&r, take_hit, take_exit, take_lost};
    /* a thread has changed its processor twice */
    put_hit(&r, 0, 10);
    put_hit(&r, 1, 11);
    put_hit(&r, 1, 12);
    put_hit(&r, 0, 13);
    const uint64_t ended[] = {4, 5, 14}; /* pid 4, tid 5 */
    put(&r, 1, PERF_RECORD_EXIT, ended, 3);
    put_hit(&r, 0, 15);
    assert_false(probe_ring_read(&r.ring, UINT64_MAX, &taker));
    assert_string_equal(r.seen, "h10 h11 h12 h13 x5 h15 ");
    close_rings(&r);
}

static void test_young_hits_wait_for_older_ones_of_other_processors(void **state)
{
    struct rings r;
    (void)state;
    open_rings(&r);
    const struct probe_ring_taker taker = {&r, take_hit, take_exit, take_lost};
    put_hit(&r, 0, 10);
    put_hit(&r, 0, 30);
    assert_true(probe_ring_read(&r.ring, 20, &taker));
    assert_string_equal(r.seen, "h10 ");
    put_hit(&r, 1, 25); /* is seen later, though it is older */
    assert_false(probe_ring_read(&r.ring, 40, &taker));
    assert_string_equal(r.seen, "h10 h25 h30 ");
    close_rings(&r);
}

static void test_lost_hits_are_told_before_what_came_behind_them(void **state)
{
    struct rings r;
    const uint64_t lost[] = {77, 6};
    (void)state;
    open_rings(&r);
    const struct probe_ring_taker taker = {&r, take_hit, take_exit, take_lost};
    put_hit(&r, 0, 10);
    put(&r, 0, PERF_RECORD_LOST, lost, 2);
    put_hit(&r, 0, 20);
    put_hit(&r, 1, 15);
    assert_false(probe_ring_read(&r.ring, UINT64_MAX, &taker));
    assert_string_equal(r.seen, "h10 l6 h15 h20 ");
    assert_int_equal(r.ring.lost, 6);
    close_rings(&r);
}

static void test_records_go_round_the_end_of_their_ring(void **state)
{
    struct rings r;
    (void)state;
    open_rings(&r);
    const struct probe_ring_taker taker = {&r, take_hit, NULL, NULL};
    const uint64_t one[] = {0};
    put(&r, 0, 99, one, 1); /* of an unknown type; the others do not fit into the page evenly */
    for (int i = 0; i < 2 * PAGE / 32; i++) {
        put_hit(&r, 0, (uint64_t)i);
        r.seen[0] = '\0';
        assert_false(probe_ring_read(&r.ring, UINT64_MAX, &taker));
        assert_int_equal(atoi(r.seen + 1), i);
    }
    assert_false(probe_ring_is_filling(&r.ring));
    for (int i = 0; i < PAGE / 32 / 2; i++)
        put_hit(&r, 0, 1);
    assert_true(probe_ring_is_filling(&r.ring));
    close_rings(&r);
}

static void
test_a_record_gives_the_registers_and_the_part_of_the_stack_that_was_copied(void **state)
{
    enum { ASKED = 64, USED = 24 };
    uint64_t words[64] = {0}, registers = probe_ring_walk_registers();
    const struct probe_ring_shape shape = {.registers = registers, .has_stack = true};
    struct probe_ring_hit hit;
    struct regs regs;
    size_t n = 0;
    (void)state;
    words[n++] = 77;                      /* the event */
    words[n++] = UINT64_C(5) << 32 | 4;   /* thread 5 of process 4 */
    words[n++] = 123456789;               /* time */
    words[n++] = PERF_SAMPLE_REGS_ABI_64; /* registers by number: */
    for (int i = 0; i < PROBE_RING_REGISTERS; i++)
        if (registers >> i & 1)
            words[n++] = 1000 + (uint64_t)i;
    words[n++] = ASKED;
    words[n] = 0xabcdef;
    n += ASKED / 8;
    words[n++] = USED;
    const unsigned char *bytes = (const unsigned char *)words;
    assert_int_equal(probe_ring_parse(bytes, n * 8, &shape, &hit), 0);
    assert_int_equal(probe_ring_id(bytes, n * 8), 77);
    assert_int_equal(hit.pid, 4);
    assert_int_equal(hit.tid, 5);
    assert_int_equal(hit.stack_bytes, USED);
    assert_int_equal(hit.stack[0], 0xef);
    assert_true(probe_ring_regs(&hit, &regs));
#if defined(__x86_64__)
    assert_int_equal(regs.fp, 1006);
    assert_int_equal(regs.sp, 1007);
    assert_int_equal(regs.pc, 1008);
    assert_int_equal(regs.lr, 0);
#endif
    /* a 32-bit program, or a kernel thread: no registers */
    words[3] = PERF_SAMPLE_REGS_ABI_32;
    assert_int_equal(probe_ring_parse(bytes, n * 8, &shape, &hit), 0);
    assert_false(probe_ring_regs(&hit, &regs));
    assert_int_equal(probe_ring_parse(bytes, n * 8 - 8, &shape, &hit), E_FORMAT);
}

static void test_a_record_of_a_program_has_what_it_wrote_and_where_it_ran(void **state)
{
    static const struct {
        uint64_t id, ids, time, count, chain[2];
        uint32_t size;
        char raw[12];
        uint64_t abi;
    } record = {77, UINT64_C(5) << 32 | 4, 9, 2, {1000, 2000}, 12, "what it says", 0};
    const unsigned char *bytes = (const unsigned char *)&record;
    const struct probe_ring_shape shape = {.is_output = true},
                                  with_more = {.registers = 1, .is_output = true};
    struct probe_ring_hit hit;
    uint64_t second;
    (void)state;
    assert_int_equal(probe_ring_parse(bytes, sizeof(record), &shape, &hit), 0);
    assert_int_equal(hit.raw_bytes, 12);
    assert_memory_equal(hit.raw, "what it says", 12);
    assert_int_equal(hit.chain_count, 2);
    memcpy(&second, hit.chain + 8, 8);
    assert_int_equal(second, 2000);
    assert_int_equal(probe_ring_parse(bytes, sizeof(record), &with_more, &hit), 0);
    assert_int_equal(hit.known, 0);
    for (size_t len = 0; len < sizeof(record) - 8; len += 4)
        assert_int_equal(probe_ring_parse(bytes, len, &shape, &hit), E_FORMAT);
}

static void test_a_record_of_a_program_at_uprobes_has_the_number_of_its_site(void **state)
{
    const struct probe_ring_shape shape = {.registers = 1, .has_site = true};
    struct {
        uint64_t id, ids, time;
        uint32_t size, site;
        uint64_t abi, first;
    } record = {77, UINT64_C(5) << 32 | 4, 9, 4, 3, PERF_SAMPLE_REGS_ABI_64, 42};
    struct probe_ring_hit hit;
    (void)state;
    assert_int_equal(probe_ring_parse((const void *)&record, sizeof(record), &shape, &hit), 0);
    assert_int_equal(hit.site, 3);
    assert_int_equal(hit.tid, 5);
    assert_int_equal(hit.registers[0], 42);
    record.size = 0; /* too short for a number */
    assert_int_equal(probe_ring_parse((const void *)&record, sizeof(record), &shape, &hit),
                     E_FORMAT);
}

static void test_a_site_that_no_probe_has_is_left_out(void **state)
{
    struct rings r;
    (void)state;
    open_rings(&r);
    r.event.shape.has_site = true; /* below event.site, which is 3 */
    const struct probe_ring_taker taker = {&r, take_hit, NULL, NULL};
    for (uint64_t site = 0; site < 5; site++) {
        const uint64_t words[] = {77, UINT64_C(5) << 32 | 4, 10 + site, site << 32 | 4};
        put(&r, 0, PERF_RECORD_SAMPLE, words, 4);
    }
    assert_false(probe_ring_read(&r.ring, UINT64_MAX, &taker));
    assert_string_equal(r.seen, "h10 h11 h12 ");
    close_rings(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_probe_with_a_stack_asks_for_registers_and_bytes),
        cmocka_unit_test(test_a_probe_without_arguments_and_stack_copies_nothing),
        cmocka_unit_test(test_a_return_is_asked_for_by_its_bit),
        cmocka_unit_test(test_rings_are_read_in_the_order_of_time),
        cmocka_unit_test(test_young_hits_wait_for_older_ones_of_other_processors),
        cmocka_unit_test(test_a_record_of_a_program_has_what_it_wrote_and_where_it_ran),
        cmocka_unit_test(test_a_record_of_a_program_at_uprobes_has_the_number_of_its_site),
        cmocka_unit_test(test_a_site_that_no_probe_has_is_left_out),
        cmocka_unit_test(test_lost_hits_are_told_before_what_came_behind_them),
        cmocka_unit_test(test_records_go_round_the_end_of_their_ring),
        cmocka_unit_test(
            test_a_record_gives_the_registers_and_the_part_of_the_stack_that_was_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
