/* agent_output_queue.c - what waits for a slow file or peer. SPDX-License-Identifier: Apache-2.0 */
#include "agent/output/output_queue.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "cmocka_all.h"

enum { SIZE = 64, STALL_MS = 60000, SHORT_STALL_MS = 100 };

static void put(struct output_queue *q, const char *text)
{
    assert_int_equal(output_queue_put(q, (const unsigned char *)text, strlen(text)), 0);
}

/* Everything that can go now, as the peer would get it. */
static const char *sent(struct output_queue *q)
{
    static char text[8 * SIZE];
    struct output_queue_piece piece;
    size_t n = 0;
    output_queue_end(q);
    while (output_queue_next(q, &piece)) {
        size_t len = piece.bytes ? piece.len : (size_t)piece.rest;
        if (piece.bytes)
            memcpy(text + n, piece.bytes, len);
        else
            assert_int_equal(pread(piece.fd, text + n, len, (off_t)piece.offset), len);
        n += len;
        output_queue_sent(q, &piece, len);
    }
    text[n] = '\0';
    q->is_ended = false;
    return text;
}

static int set_up(void **state)
{
    struct output_queue *q = malloc(sizeof(*q));
    assert_int_equal(output_queue_init(q, SIZE, STALL_MS), 0);
    *state = q;
    return 0;
}

static int tear_down(void **state)
{
    output_queue_done(*state);
    free(*state);
    return 0;
}

static void what_fits_goes_in_order_and_round_the_ring(void **state)
{
    for (int i = 0; i < 20; i++) {
        put(*state, "THREAD END (id = 1)\nTRACE 5:\n\tA.b()\n");
        output_queue_flush(*state);
        assert_string_equal(sent(*state), "THREAD END (id = 1)\nTRACE 5:\n\tA.b()\n");
    }
    assert_int_equal(output_queue_drops(*state).records, 0);
}

static void a_record_that_does_not_fit_is_left_out_whole(void **state)
{
    struct output_queue_drops drops;
    put(*state, "TRACE 1:\n\tA.b()\n");                   /* 16 */
    put(*state, "TRACE 2:\n\tA.b()\n\tA.c()\n\tA.d()\n"); /* 30: 46 */
    put(*state, "TRACE 3:\n\tA.b()\n");                   /* 16: 62 */
    put(*state, "TRACE 4:\n");
    put(*state, "\tA.b()\n");
    put(*state, "TRACE 5:\n\tA.b()\n");
    output_queue_flush(*state);
    assert_string_equal(
        sent(*state),
        "TRACE 1:\n\tA.b()\nTRACE 2:\n\tA.b()\n\tA.c()\n\tA.d()\nTRACE 3:\n\tA.b()\n");
    drops = output_queue_drops(*state);
    assert_int_equal(drops.records, 2);
    assert_int_equal(drops.bytes, 32);
    put(*state, "TRACE 6:\n\tA.b()\n");
    output_queue_flush(*state);
    assert_string_equal(sent(*state), "TRACE 6:\n\tA.b()\n");
}

static void a_record_larger_than_all_is_left_out_and_the_next_one_goes(void **state)
{
    put(*state, "one\n");
    put(*state, "SITES BEGIN (ordered by live bytes) today\n");
    for (int i = 0; i < 10; i++)
        put(*state, "   1 50.00% 50.00%\n");
    put(*state, "SITES END\n");
    put(*state, "two\n");
    output_queue_flush(*state);
    assert_string_equal(sent(*state), "one\ntwo\n");
    assert_int_equal(output_queue_drops(*state).records, 1);
    assert_int_equal(output_queue_drops(*state).bytes, 42 + 190 + 10);
}

static void a_record_goes_only_when_it_is_whole(void **state)
{
    struct output_queue_piece piece;
    put(*state, "one\nSITES BEGIN (\nrow\n");
    assert_int_equal(output_queue_next(*state, &piece), 1);
    assert_int_equal(piece.len, 4);
    put(*state, "SITES END\n");
    assert_string_equal(sent(*state), "one\nSITES BEGIN (\nrow\nSITES END\n");
}

static int file_with(const char *text)
{
    char path[] = "/tmp/hprof-queue-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return fd;
}

static void a_file_keeps_its_place(void **state)
{
    put(*state, "one\n");
    output_queue_flush(*state);
    assert_int_equal(output_queue_put_file(*state, file_with("dump\nleft out"), 5), 0);
    assert_int_equal(output_queue_put_file(*state, file_with("next\n"), 5), 0);
    put(*state, "two\n");
    output_queue_flush(*state);
    assert_string_equal(sent(*state), "one\ndump\nnext\ntwo\n");
}

static void too_many_files_are_dropped_and_counted(void **state)
{
    for (int i = 0; i < OUTPUT_QUEUE_FILES; i++)
        assert_int_equal(output_queue_put_file(*state, file_with("x\n"), 2), 0);
    assert_int_equal(output_queue_put_file(*state, file_with("y\n"), 2), E_LIMIT);
    assert_int_equal(output_queue_drops(*state).records, 1);
    assert_int_equal(strlen(sent(*state)), 2 * OUTPUT_QUEUE_FILES);
}

static void after_a_failure_nothing_is_kept(void **state)
{
    struct output_queue_piece piece;
    put(*state, "one\n");
    output_queue_fail(*state, -EPIPE);
    assert_int_equal(output_queue_put(*state, (const unsigned char *)"two\n", 4), -EPIPE);
    assert_int_equal(output_queue_put_file(*state, file_with("x\n"), 2), -EPIPE);
    assert_int_equal(output_queue_next(*state, &piece), 0);
    assert_int_equal(output_queue_settle(*state, STALL_MS), -EPIPE);
}

static void note_turn(void *arg)
{
    ++*(int *)arg;
}

static void a_guest_has_its_turn_behind_what_was_there_and_before_what_comes(void **state)
{
    int turns = 0;
    put(*state, "one\n");
    output_queue_let_guest(*state, note_turn, &turns);
    put(*state, "two\n");
    assert_int_equal(turns, 0);
    assert_int_equal(output_queue_settle(*state, SHORT_STALL_MS), -ETIMEDOUT);
    assert_string_equal(sent(*state), "one\n");
    assert_int_equal(turns, 1);
    assert_int_equal(output_queue_settle(*state, STALL_MS), 0);
    assert_string_equal(sent(*state), "");
    output_queue_end_guest(*state);
    assert_string_equal(sent(*state), "two\n");
    assert_int_equal(turns, 1);
}

static void what_is_rewritten_comes_last_and_only_once(void **state)
{
    struct output_queue *q = *state;
    struct output_queue_piece piece;
    put(q, "one\n");
    assert_int_equal(output_queue_rewrite(q, 1, "NEW", 3), 0);
    put(q, "two\n");
    assert_int_equal(output_queue_rewrite(q, 1, "NE", 2), 0);
    output_queue_end(q);
    assert_int_equal(output_queue_next(q, &piece), 1);
    assert_int_equal(piece.len, 8);
    output_queue_sent(q, &piece, 8);
    assert_int_equal(output_queue_next(q, &piece), 1);
    assert_true(piece.is_rewrite && piece.offset == 1 && piece.len == 2);
    assert_memory_equal(piece.bytes, "NE", 2);
    assert_int_equal(output_queue_settle(q, SHORT_STALL_MS), -ETIMEDOUT);
    output_queue_sent(q, &piece, 2);
    assert_int_equal(output_queue_settle(q, STALL_MS), 0);
    assert_int_equal(output_queue_next(q, &piece), 0);
}

static void rewrites_of_several_places_go_in_their_order(void **state)
{
    struct output_queue *q = *state;
    struct output_queue_piece piece;
    put(q, "one\n");
    assert_int_equal(output_queue_rewrite(q, 2, "E", 1), 0);
    put(q, "two\n");
    for (uint64_t at = 4; at < 3 + OUTPUT_QUEUE_REWRITES; at++)
        assert_int_equal(output_queue_rewrite(q, at, "T", 1), 0);
    assert_int_equal(output_queue_rewrite(q, 0, "O", 1), -EAGAIN);
    assert_int_equal(output_queue_rewrite(q, 4, "W", 1), 0);
    output_queue_end(q);
    assert_int_equal(output_queue_next(q, &piece), 1);
    output_queue_sent(q, &piece, 8);
    assert_int_equal(output_queue_next(q, &piece), 1);
    assert_int_equal(piece.offset, 2);
    output_queue_sent(q, &piece, 1);
    for (int i = 1; i < OUTPUT_QUEUE_REWRITES; i++) {
        assert_int_equal(output_queue_next(q, &piece), 1);
        assert_true(piece.is_rewrite && piece.offset >= 4);
        output_queue_sent(q, &piece, 1);
    }
    assert_int_equal(output_queue_next(q, &piece), 0);
}

/* What came before goes before, what comes later behind; a length is no rewrite of that place. */
static void another_place_of_the_file_comes_in_its_turn(void **state)
{
    struct output_queue *q = *state;
    struct output_queue_piece piece;
    put(q, "one\n");
    assert_int_equal(output_queue_rewrite(q, 9, "r", 1), 0);
    assert_int_equal(output_queue_start(q, 100, "START", 5, 200), 0);
    assert_int_equal(output_queue_start(q, 300, "S", 1, 400), -EAGAIN);
    put(q, "two\n");
    assert_int_equal(output_queue_resize(q, 9), 0);
    output_queue_end(q);
    assert_int_equal(output_queue_next(q, &piece), 1);
    assert_true(!piece.is_start && piece.len == 4);
    output_queue_sent(q, &piece, 4);
    assert_int_equal(output_queue_next(q, &piece), 1);
    assert_true(piece.is_rewrite && piece.offset == 9 && piece.len == 1);
    output_queue_sent(q, &piece, 1);
    assert_int_equal(output_queue_next(q, &piece), 1);
    assert_true(piece.is_start && piece.offset == 100 && piece.len == 5 && piece.rest == 200);
    assert_memory_equal(piece.bytes, "START", 5);
    assert_int_equal(output_queue_settle(q, SHORT_STALL_MS), -ETIMEDOUT);
    output_queue_sent(q, &piece, 5);
    assert_int_equal(output_queue_next(q, &piece), 1);
    assert_memory_equal(piece.bytes, "two\n", 4);
    output_queue_sent(q, &piece, 4);
    assert_int_equal(output_queue_next(q, &piece), 1);
    assert_true(piece.is_rewrite && piece.offset == 9 && piece.len == 0);
    output_queue_sent(q, &piece, 0);
    assert_int_equal(output_queue_next(q, &piece), 0);
    assert_int_equal(output_queue_settle(q, STALL_MS), 0);
}

static void a_whole_piece_goes_in_or_nothing_of_it(void **state)
{
    struct output_queue *q = *state;
    unsigned char piece[SIZE];
    memset(piece, '\n', sizeof(piece)); /* ends of lines are nothing special */
    assert_int_equal(output_queue_put_whole(q, piece, SIZE - 1), 0);
    assert_int_equal(output_queue_put_whole(q, piece, 2), -EAGAIN);
    assert_int_equal(output_queue_drops(q).records, 0);
    assert_int_equal(strlen(sent(q)), SIZE - 1);
    assert_int_equal(output_queue_put_whole(q, piece, SIZE), 0);
    output_queue_fail(q, -ENOSPC);
    assert_int_equal(output_queue_put_whole(q, piece, 1), -ENOSPC);
}

static void a_large_ring_that_is_empty_again_is_given_back(void **state)
{
    enum { LARGE = 8 << 20 };
    static char line[1 << 16];
    struct output_queue q;
    struct output_queue_piece piece;
    assert_int_equal(output_queue_init(&q, LARGE, STALL_MS), 0);
    memset(line, 'x', sizeof(line) - 2);
    line[sizeof(line) - 2] = '\n';
    for (int i = 0; i < 64; i++)
        put(&q, line);
    output_queue_end(&q);
    assert_int_equal(q.ring[2 << 20], 'x');
    while (output_queue_next(&q, &piece))
        output_queue_sent(&q, &piece, piece.len);
    assert_int_equal(q.ring[2 << 20], 0);
    put(&q, "after\n");
    output_queue_flush(&q);
    assert_int_equal(output_queue_next(&q, &piece), 1);
    assert_memory_equal(piece.bytes, "after\n", 6);
    output_queue_done(&q);
}

/* A writer that takes a few bytes at a time. */
static void *take_slowly(void *argument)
{
    struct output_queue *q = argument;
    struct output_queue_piece piece;
    char *text = calloc(1, 8 * SIZE);
    size_t n = 0;
    while (output_queue_next(q, &piece)) {
        size_t len = piece.len < 7 ? piece.len : 7;
        memcpy(text + n, piece.bytes, len);
        n += len;
        output_queue_sent(q, &piece, len);
    }
    return text;
}

static void patience_drops_nothing_however_long_a_record_is(void **state)
{
    static const char record[] = "SITES BEGIN (ordered by live bytes) today\n"
                                 "   1 50.00% 50.00%\n   1 50.00% 50.00%\n   1 50.00% 50.00%\n"
                                 "   1 50.00% 50.00%\n   1 50.00% 50.00%\n   1 50.00% 50.00%\n"
                                 "SITES END\n";
    pthread_t writer;
    void *text;
    output_queue_be_patient(*state, 1);
    pthread_create(&writer, NULL, take_slowly, *state);
    put(*state, record);
    output_queue_end(*state);
    assert_int_equal(output_queue_settle(*state, STALL_MS), 0);
    pthread_join(writer, &text);
    assert_string_equal(text, record);
    assert_int_equal(output_queue_drops(*state).records, 0);
    free(text);
}

static void patience_ends_with_a_peer_that_takes_nothing(void **state)
{
    struct output_queue *q = *state;
    char long_line[2 * SIZE];
    q->stall_ms = SHORT_STALL_MS; /* nobody takes anything, however long that is */
    output_queue_be_patient(q, 1);
    memset(long_line, 'x', sizeof(long_line));
    assert_int_equal(output_queue_put(q, (const unsigned char *)long_line, sizeof(long_line)),
                     -ETIMEDOUT);
    assert_int_equal(output_queue_settle(q, SHORT_STALL_MS), -ETIMEDOUT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_fits_goes_in_order_and_round_the_ring),
        TEST(a_record_that_does_not_fit_is_left_out_whole),
        TEST(a_record_larger_than_all_is_left_out_and_the_next_one_goes),
        TEST(a_record_goes_only_when_it_is_whole),
        TEST(a_file_keeps_its_place),
        TEST(too_many_files_are_dropped_and_counted),
        TEST(after_a_failure_nothing_is_kept),
        TEST(a_guest_has_its_turn_behind_what_was_there_and_before_what_comes),
        TEST(what_is_rewritten_comes_last_and_only_once),
        TEST(rewrites_of_several_places_go_in_their_order),
        TEST(another_place_of_the_file_comes_in_its_turn),
        TEST(a_whole_piece_goes_in_or_nothing_of_it),
        cmocka_unit_test(a_large_ring_that_is_empty_again_is_given_back),
        TEST(patience_drops_nothing_however_long_a_record_is),
        TEST(patience_ends_with_a_peer_that_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
