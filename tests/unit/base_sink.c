/* base_sink.c - the sticky writer. SPDX-License-Identifier: Apache-2.0 */
#include "base/sink.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmocka_all.h"

static int temp_file(int flags)
{
    char path[] = "/tmp/hprof-sink-XXXXXX";
    int fd = mkostemp(path, flags);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

static void numbers_are_written_big_endian(void **state)
{
    (void)state;
    int fd = temp_file(0);
    struct sink s;
    assert_int_equal(sink_init(&s, fd), 0);
    sink_u1(&s, 0x01);
    sink_u2(&s, 0x0203);
    sink_u4(&s, 0x04050607);
    sink_u8(&s, 0x08090a0b0c0d0e0f);
    assert_int_equal(sink_position(&s), 15);
    assert_int_equal(sink_done(&s), 0);
    unsigned char bytes[16];
    assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), 15);
    for (int i = 0; i < 15; i++)
        assert_int_equal(bytes[i], i + 1);
    close(fd);
}

static void text_longer_than_the_buffer_is_not_cut(void **state)
{
    (void)state;
    int fd = temp_file(0);
    struct sink s;
    sink_init(&s, fd);
    size_t len = 3 * (size_t)SINK_BUFFER + 5;
    char *text = malloc(len + 1);
    memset(text, 'x', len);
    text[len] = '\0';
    sink_text(&s, "a");
    sink_printf(&s, "<%s>", text);
    sink_text(&s, text);
    assert_int_equal(sink_position(&s), 1 + len + 2 + len);
    assert_int_equal(sink_done(&s), 0);
    assert_int_equal(lseek(fd, 0, SEEK_END), 1 + len + 2 + len);
    char ends[2];
    pread(fd, ends, 1, 1);
    pread(fd, ends + 1, 1, (off_t)(len + 2));
    assert_memory_equal(ends, "<>", 2);
    free(text);
    close(fd);
}

static void text_that_fits_only_into_an_empty_buffer_is_whole(void **state)
{
    (void)state;
    int fd = temp_file(0);
    struct sink s;
    sink_init(&s, fd);
    sink_printf(&s, "%*s", SINK_BUFFER - 2, "a");
    sink_printf(&s, "%*s", SINK_BUFFER - 1, "b");
    sink_printf(&s, "%*s", SINK_BUFFER, "c");
    assert_int_equal(sink_done(&s), 0);
    char ends[3];
    pread(fd, ends, 1, SINK_BUFFER - 3);
    pread(fd, ends + 1, 1, 2 * SINK_BUFFER - 4);
    pread(fd, ends + 2, 1, 3 * SINK_BUFFER - 4);
    assert_memory_equal(ends, "abc", 3);
    assert_int_equal(lseek(fd, 0, SEEK_END), 3 * SINK_BUFFER - 3);
    close(fd);
}

static void a_full_device_is_remembered_and_the_rest_swallowed(void **state)
{
    (void)state;
    int fd = open("/dev/full", O_WRONLY);
    assert_true(fd >= 0);
    struct sink s;
    sink_init(&s, fd);
    sink_text(&s, "waits in the buffer");
    assert_int_equal(sink_error(&s), 0);
    assert_int_equal(sink_flush(&s), -ENOSPC);
    for (int i = 0; i < SINK_BUFFER; i++)
        sink_printf(&s, "%s", "more");
    assert_int_equal(sink_error(&s), -ENOSPC);
    assert_int_equal(sink_position(&s), 0);
    assert_int_equal(sink_done(&s), -ENOSPC);
    close(fd);
}

static void without_a_descriptor_bytes_are_only_counted(void **state)
{
    (void)state;
    struct sink s;
    sink_init(&s, -1);
    for (int i = 0; i < 100000; i++)
        sink_u4(&s, 1);
    assert_int_equal(sink_position(&s), 400000);
    assert_int_equal(sink_done(&s), 0);
}

static void writing_after_the_end_is_an_error_and_no_crash(void **state)
{
    (void)state;
    struct sink s;
    sink_init(&s, -1);
    sink_done(&s);
    sink_text(&s, "late");
    sink_printf(&s, "%d", 1);
    assert_int_equal(sink_error(&s), -EBADF);
}

static void bytes_are_replaced_in_place_and_the_position_stays(void **state)
{
    (void)state;
    int fd = temp_file(0);
    struct sink s;
    sink_init(&s, fd);
    sink_text(&s, "one two three");
    assert_int_equal(sink_rewrite(&s, 4, "TWO", 3), 0);
    sink_text(&s, " four");
    assert_int_equal(sink_done(&s), 0);
    char bytes[32] = "";
    pread(fd, bytes, sizeof(bytes) - 1, 0);
    assert_string_equal(bytes, "one TWO three four");
    close(fd);
}

static void only_what_was_written_can_be_replaced(void **state)
{
    (void)state;
    int fd = temp_file(0);
    struct sink s;
    sink_init(&s, fd);
    sink_text(&s, "1234");
    assert_int_equal(sink_rewrite(&s, 2, "abc", 3), -EINVAL);
    assert_int_equal(sink_rewrite(&s, 9, "a", 1), -EINVAL);
    assert_int_equal(sink_error(&s), 0);
    sink_done(&s);
    close(fd);
}

static void appending_files_pipes_and_files_begun_by_others_are_not_rewritten(void **state)
{
    (void)state;
    int append = temp_file(O_APPEND);
    struct sink s;
    sink_init(&s, append);
    sink_text(&s, "abc");
    assert_int_equal(sink_rewrite(&s, 0, "X", 1), -ESPIPE);
    sink_done(&s);
    assert_int_equal(lseek(append, 0, SEEK_END), 3);
    close(append);

    int begun = temp_file(0);
    assert_int_equal(write(begun, "before", 6), 6);
    sink_init(&s, begun);
    sink_text(&s, "abc");
    assert_int_equal(sink_rewrite(&s, 0, "X", 1), -ESPIPE);
    sink_done(&s);
    close(begun);

    int ends[2];
    assert_int_equal(pipe(ends), 0);
    sink_init(&s, ends[1]);
    sink_text(&s, "abc");
    assert_int_equal(sink_rewrite(&s, 0, "X", 1), -ESPIPE);
    assert_int_equal(sink_error(&s), 0);
    sink_done(&s);
    close(ends[0]);
    close(ends[1]);
}

static int append_text(void *to, const unsigned char *bytes, size_t len)
{
    strncat(to, (const char *)bytes, len);
    return 0;
}

static int replace_text(void *to, uint64_t offset, const void *bytes, size_t len)
{
    memcpy((char *)to + offset, bytes, len);
    return 0;
}

static void a_taker_gets_what_is_flushed_and_what_replaces_it(void **state)
{
    (void)state;
    char text[64] = "";
    struct sink s;
    sink_init_taker(&s, append_text, text);
    sink_text(&s, "one ");
    sink_flush(&s);
    sink_text(&s, "two");
    assert_string_equal(text, "one ");
    assert_int_equal(sink_rewrite(&s, 0, "ONE", 3), -ESPIPE);
    s.rewrite = replace_text;
    assert_int_equal(sink_rewrite(&s, 4, "TWO", 3), 0);
    assert_int_equal(sink_rewrite(&s, 5, "TWO", 3), -EINVAL);
    assert_string_equal(text, "one TWO");
    assert_int_equal(sink_position(&s), 7);
    assert_int_equal(sink_done(&s), 0);
}

/* Lets so many pieces pass. */
struct asker {
    struct sink *sink;
    int pieces, asked;
    uint64_t longest;
    uint64_t written;
};

static int let_pass(void *arg)
{
    struct asker *a = arg;
    uint64_t piece = a->sink->written - a->written;
    a->longest = piece > a->longest ? piece : a->longest;
    a->written = a->sink->written;
    a->asked++;
    return a->asked > a->pieces ? -ENOMEM : 0;
}

static void an_asker_is_asked_before_each_piece_and_ends_the_writing(void **state)
{
    (void)state;
    int fd = temp_file(0);
    struct sink s;
    sink_init(&s, fd);
    struct asker asker = {.sink = &s, .pieces = 3};
    s.ask = let_pass;
    s.asker = &asker;
    unsigned char *bytes = calloc(5, SINK_PIECE);
    sink_text(&s, "waits");
    assert_int_equal(asker.asked, 0);
    sink_bytes(&s, bytes, (size_t)5 * SINK_PIECE);
    assert_int_equal(asker.asked, 4);
    assert_int_equal(asker.longest, SINK_PIECE);
    assert_int_equal(sink_error(&s), -ENOMEM);
    assert_int_equal(lseek(fd, 0, SEEK_END), 5 + 2 * SINK_PIECE);
    sink_bytes(&s, bytes, SINK_PIECE);
    assert_int_equal(asker.asked, 4);
    assert_int_equal(sink_done(&s), -ENOMEM);
    free(bytes);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_big_endian),
        cmocka_unit_test(text_longer_than_the_buffer_is_not_cut),
        cmocka_unit_test(text_that_fits_only_into_an_empty_buffer_is_whole),
        cmocka_unit_test(a_full_device_is_remembered_and_the_rest_swallowed),
        cmocka_unit_test(without_a_descriptor_bytes_are_only_counted),
        cmocka_unit_test(writing_after_the_end_is_an_error_and_no_crash),
        cmocka_unit_test(bytes_are_replaced_in_place_and_the_position_stays),
        cmocka_unit_test(only_what_was_written_can_be_replaced),
        cmocka_unit_test(appending_files_pipes_and_files_begun_by_others_are_not_rewritten),
        cmocka_unit_test(a_taker_gets_what_is_flushed_and_what_replaces_it),
        cmocka_unit_test(an_asker_is_asked_before_each_piece_and_ends_the_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
