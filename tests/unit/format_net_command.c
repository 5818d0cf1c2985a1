/* format_net_command.c - the commands of a socket. SPDX-License-Identifier: Apache-2.0 */
#include "format/net_command.h"
#include <math.h>
#include <string.h>
#include "cmocka_all.h"

static const unsigned char sites[] = {3, 0, 0, 0, 7, 0, 0, 0, 6, 0, 5, 0x3f, 0, 0, 0};
static const unsigned char gc[] = {1, 0, 0, 0, 8, 0, 0, 0, 0};

/* All of `bytes` in pieces of `step`; the results other than MORE, as letters. */
static const char *results(const unsigned char *bytes, size_t len, size_t step,
                           struct net_command *ret)
{
    static char text[64];
    struct net_command_reader r = {.used = 0};
    size_t n = 0;
    for (size_t at = 0; at < len;) {
        enum net_command_result result;
        struct net_command c;
        size_t piece = len - at < step ? len - at : step;
        at += net_command_read(&r, bytes + at, piece, &c, &result);
        if (result != NET_COMMAND_MORE)
            text[n++] = "mwuslg"[result];
        if (result == NET_COMMAND_WHOLE)
            *ret = c;
    }
    text[n] = '\0';
    return text;
}

static void fields_are_big_endian(void **state)
{
    struct net_command c;
    (void)state;
    assert_string_equal(results(sites, sizeof(sites), sizeof(sites), &c), "w");
    assert_int_equal(c.tag, NET_COMMAND_SITES);
    assert_int_equal(c.sequence, 7);
    assert_int_equal(c.flags, 5);
    assert_true(c.cutoff == 0.5F);
}

static void a_command_may_come_in_pieces_of_any_size(void **state)
{
    unsigned char both[sizeof(sites) + sizeof(gc)];
    struct net_command c;
    (void)state;
    memcpy(both, sites, sizeof(sites));
    memcpy(both + sizeof(sites), gc, sizeof(gc));
    for (size_t step = 1; step <= sizeof(both); step++) {
        assert_string_equal(results(both, sizeof(both), step, &c), "ww");
        assert_int_equal(c.tag, NET_COMMAND_GC);
    }
}

static void what_is_written_is_read_back(void **state)
{
    static const struct net_command all[] = {
        {.tag = NET_COMMAND_GC, .sequence = 1},
        {.tag = NET_COMMAND_HEAP_DUMP, .sequence = 0xffffffff},
        {.tag = NET_COMMAND_SITES, .flags = 7, .cutoff = 0.25F},
        {.tag = NET_COMMAND_HEAP_SUMMARY},
        {.tag = NET_COMMAND_EXIT},
        {.tag = NET_COMMAND_TRACES},
        {.tag = NET_COMMAND_SAMPLES, .cutoff = 0.001F},
        {.tag = NET_COMMAND_CONTROL, .op = NET_COMMAND_ALLOC_ON},
        {.tag = NET_COMMAND_CONTROL, .op = NET_COMMAND_ALLOC_OFF},
        {.tag = NET_COMMAND_CONTROL, .op = NET_COMMAND_SAMPLING_ON, .thread = 0x50000001},
        {.tag = NET_COMMAND_CONTROL, .op = NET_COMMAND_SAMPLING_OFF},
        {.tag = NET_COMMAND_CONTROL, .op = NET_COMMAND_SAMPLING_OFF, .thread = 0x700000008ULL},
        {.tag = NET_COMMAND_CONTROL, .op = NET_COMMAND_CLEAR_SAMPLES},
        {.tag = NET_COMMAND_CONTROL, .op = NET_COMMAND_CLEAR_SITES},
        {.tag = NET_COMMAND_CONTROL, .op = NET_COMMAND_SET_DEPTH, .depth = 0x1234},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        unsigned char bytes[NET_COMMAND_MAX];
        struct net_command c;
        size_t len = net_command_write(&all[i], bytes);
        assert_string_equal(results(bytes, len, len, &c), "w");
        assert_int_equal(c.tag, all[i].tag);
        assert_int_equal(c.sequence, all[i].sequence);
        assert_int_equal(c.flags, all[i].flags);
        assert_true(c.cutoff == all[i].cutoff);
        assert_int_equal(c.op, all[i].op);
        assert_int_equal(c.thread, all[i].thread);
        assert_int_equal(c.depth, all[i].depth);
    }
}

static void an_id_has_the_length_that_the_body_leaves_for_it(void **state)
{
    static const unsigned char bytes[] = {
        8, 0, 0, 0, 1, 0, 0, 0, 6,  0, 4, 0x50, 0, 0, 7,                /* 4 bytes */
        8, 0, 0, 0, 1, 0, 0, 0, 10, 0, 4, 0,    0, 0, 0, 0x50, 0, 0, 7, /* 8, the high half is 0 */
        8, 0, 0, 0, 1, 0, 0, 0, 10, 0, 4, 0,    0, 0, 2, 0,    0, 0, 0, /* 8, the low half is 0 */
        8, 0, 0, 0, 1, 0, 0, 0, 9,  0, 4, 0x50, 0, 0, 7, 1,    1, 1,    /* not 8: the rest means
                                                                           nothing */
    };
    static const uint64_t threads[] = {0x50000007, 0x50000007, 0x200000000, 0x50000007};
    struct net_command_reader r = {.used = 0};
    size_t at = 0;
    (void)state;
    for (int i = 0; i < 4; i++) {
        enum net_command_result result;
        struct net_command c;
        at += net_command_read(&r, bytes + at, sizeof(bytes) - at, &c, &result);
        assert_int_equal(result, NET_COMMAND_WHOLE);
        assert_int_equal(c.thread, threads[i]);
    }
    assert_int_equal(at, sizeof(bytes));
}

static void control_6_with_an_operand_is_a_depth(void **state)
{
    static const unsigned char clear[] = {8, 0, 0, 0, 1, 0, 0, 0, 2, 0, 6};
    static const unsigned char depth[] = {8, 0, 0, 0, 1, 0, 0, 0, 4, 0, 6, 0, 12};
    static const unsigned char odd[] = {8, 0, 0, 0, 1, 0, 0, 0, 3, 0, 6, 12};
    struct net_command c;
    (void)state;
    assert_string_equal(results(clear, sizeof(clear), 1, &c), "w");
    assert_int_equal(c.op, NET_COMMAND_CLEAR_SITES);
    assert_string_equal(results(depth, sizeof(depth), 1, &c), "w");
    assert_int_equal(c.op, NET_COMMAND_SET_DEPTH);
    assert_int_equal(c.depth, 12);
    assert_string_equal(results(odd, sizeof(odd), 1, &c), "w");
    assert_int_equal(c.op, NET_COMMAND_CLEAR_SITES);
}

static void what_is_unknown_or_short_is_passed_over_by_its_length(void **state)
{
    static const unsigned char bytes[] = {
        0x55, 0, 0, 0, 1, 0, 0, 0, 3, 1,    1,    1,    /* no such tag */
        1,    0, 0, 0, 2, 0, 0, 0, 2, 0xff, 0xff,       /* a collection with a body */
        8,    0, 0, 0, 3, 0, 0, 0, 4, 0,    9,    0, 0, /* no such control */
        3,    0, 0, 0, 4, 0, 0, 0, 2, 0,    1,          /* sites without a cutoff */
        8,    0, 0, 0, 5, 0, 0, 0, 2, 0,    7,          /* a depth without its value */
        8,    0, 0, 0, 6, 0, 0, 0, 0,                   /* a control without which */
        8,    0, 0, 0, 7, 0, 0, 0, 8, 0,    7,    0, 5, 1, 1, 1, 1,
    };
    struct net_command c;
    (void)state;
    for (size_t step = 1; step <= sizeof(bytes); step++) {
        assert_string_equal(results(bytes, sizeof(bytes), step, &c), "uwusssw");
        assert_int_equal(c.depth, 5);
    }
}

static void nothing_follows_the_end(void **state)
{
    unsigned char bytes[1 + sizeof(gc)] = {0xff};
    struct net_command c;
    (void)state;
    memcpy(bytes + 1, gc, sizeof(gc));
    assert_string_equal(results(bytes, sizeof(bytes), 1, &c), "l");
    assert_string_equal(results(bytes, sizeof(bytes), sizeof(bytes), &c), "l");
}

static void a_length_that_cannot_be_is_garbage_and_ends_it(void **state)
{
    static const unsigned char bytes[] = {'G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P', 1, 0};
    struct net_command c;
    (void)state;
    assert_string_equal(results(bytes, sizeof(bytes), 1, &c), "g");
}

static void a_cutoff_that_is_no_fraction_is_none(void **state)
{
    static const float values[] = {-1, -0.0F};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct net_command c = {.tag = NET_COMMAND_SAMPLES, .cutoff = values[i]};
        unsigned char bytes[NET_COMMAND_MAX];
        size_t len = net_command_write(&c, bytes);
        assert_string_equal(results(bytes, len, len, &c), "w");
        assert_true(c.cutoff == 0 && !signbit(c.cutoff));
        memset(bytes + 11, 0xff, 4); /* not a number */
        assert_string_equal(results(bytes, len, len, &c), "w");
        assert_true(c.cutoff == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_big_endian),
        cmocka_unit_test(a_command_may_come_in_pieces_of_any_size),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(an_id_has_the_length_that_the_body_leaves_for_it),
        cmocka_unit_test(control_6_with_an_operand_is_a_depth),
        cmocka_unit_test(what_is_unknown_or_short_is_passed_over_by_its_length),
        cmocka_unit_test(nothing_follows_the_end),
        cmocka_unit_test(a_length_that_cannot_be_is_garbage_and_ends_it),
        cmocka_unit_test(a_cutoff_that_is_no_fraction_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
