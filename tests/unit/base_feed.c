/* base_feed.c - files and pipes as bytes in memory. SPDX-License-Identifier: Apache-2.0 */
#include "base/feed.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include "cmocka_all.h"
#include "testfile.h"

enum { PIECES = 40, PIECE = 1 << 18 };

/* Byte i of what goes through the pipe. */
static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i * 31 + i / 4099);
}

static void *fill(void *fd)
{
    static unsigned char piece[PIECE];
    for (size_t n = 0; n < PIECES; n++) {
        for (size_t i = 0; i < PIECE; i++)
            piece[i] = byte_at(n * PIECE + i);
        for (size_t done = 0; done < PIECE;) {
            ssize_t w = write(*(int *)fd, piece + done, PIECE - done);
            assert_true(w > 0);
            done += (size_t)w;
        }
    }
    close(*(int *)fd);
    return NULL;
}

static void a_pipe_is_there_as_far_as_it_is_asked_for(void **state)
{
    (void)state;
    int ends[2];
    pthread_t writer;
    struct feed f;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pthread_create(&writer, NULL, fill, &ends[1]), 0);
    assert_int_equal(feed_open(&f, ends[0]), 0);
    assert_int_equal(f.len, 0);
    for (size_t at = 0; feed_has(&f, at, 1000); at += 1000) {
        for (size_t i = at; i < at + 1000; i += 97)
            assert_int_equal(f.bytes[i], byte_at(i));
        feed_release(&f, at);
    }
    assert_true(f.is_whole && f.error == 0);
    assert_int_equal(f.len, (size_t)PIECES * PIECE);
    assert_false(feed_has(&f, f.len, 1));
    assert_false(feed_has(&f, f.len + 5, 0));
    feed_done(&f);
    pthread_join(writer, NULL);
    close(ends[0]);
}

static void a_file_is_there_at_once_and_can_be_let_go(void **state)
{
    (void)state;
    struct feed f;
    int fd = testfile_temp();
    assert_int_equal(ftruncate(fd, 9 << 20), 0);
    assert_int_equal(pwrite(fd, "end", 3, (9 << 20) - 3), 3);
    assert_int_equal(feed_open(&f, fd), 0);
    assert_int_equal(f.len, 9 << 20);
    feed_release(&f, (9 << 20) - 3);
    assert_int_equal(f.released, 8 << 20);
    assert_memory_equal(f.bytes + f.len - 3, "end", 3);
    assert_false(feed_more(&f));
    feed_done(&f);
    close(fd);
}

static void a_folder_is_refused_and_an_empty_file_is_empty(void **state)
{
    (void)state;
    struct feed f;
    int fd = testfile_temp();
    assert_int_equal(feed_open(&f, fd), 0);
    assert_false(feed_more(&f));
    assert_int_equal(f.len, 0);
    feed_done(&f);
    close(fd);
    assert_int_equal(feed_open(&f, -1), -EBADF);
    feed_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_is_there_as_far_as_it_is_asked_for),
        cmocka_unit_test(a_file_is_there_at_once_and_can_be_let_go),
        cmocka_unit_test(a_folder_is_refused_and_an_empty_file_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
