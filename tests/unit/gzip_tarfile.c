/*
 * gzip_tarfile.c - archives that were written are read again; cut and foreign ones are refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gzip/tarfile.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"
#include "cmocka_all.h"
#include "command/textbuf.h"

struct memory {
    const unsigned char *at;
    size_t len;
};

static ssize_t read_memory(void *from, unsigned char *to, size_t room)
{
    struct memory *m = from;
    size_t len = m->len < room ? m->len : room;
    len = len > 100 ? 100 : len; /* in pieces */
    memcpy(to, m->at, len);
    m->at += len;
    m->len -= len;
    return (ssize_t)len;
}

static int take(void *to, const unsigned char *bytes, size_t len)
{
    textbuf_bytes(to, (const char *)bytes, len);
    return 0;
}

static struct textbuf archive(void)
{
    struct textbuf t = {0};
    struct sink out;
    assert_int_equal(sink_init_taker(&out, take, &t), 0);
    tarfile_head(&out, "a/first.txt", 5, 1000);
    sink_bytes(&out, "12345", 5);
    tarfile_pad(&out, 5);
    tarfile_head(&out, "empty", 0, 1000);
    tarfile_head(&out, "second", TARFILE_BLOCK, 1000);
    for (int i = 0; i < TARFILE_BLOCK; i++)
        sink_u1(&out, 'x');
    tarfile_pad(&out, TARFILE_BLOCK);
    tarfile_end(&out);
    assert_int_equal(sink_done(&out), 0);
    return t;
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    struct textbuf t = archive();
    struct memory m = {(unsigned char *)t.bytes, t.len};
    struct tarfile tar = {.read = read_memory, .from = &m};
    unsigned char bytes[10];
    assert_int_equal(t.len, 7 * TARFILE_BLOCK);
    assert_true(tarfile_is_one(t.bytes, t.len));
    assert_int_equal(tarfile_next(&tar), 1);
    assert_string_equal(tar.name, "a/first.txt");
    assert_int_equal(tarfile_read(&tar, bytes, 3), 3);
    assert_int_equal(tarfile_read(&tar, bytes, 10), 2);
    assert_int_equal(tarfile_read(&tar, bytes, 10), 0);
    assert_int_equal(tarfile_next(&tar), 1);
    assert_string_equal(tar.name, "empty");
    assert_int_equal(tarfile_next(&tar), 1); /* what was not read is passed over */
    assert_string_equal(tar.name, "second");
    assert_int_equal(tar.left, TARFILE_BLOCK);
    assert_int_equal(tarfile_next(&tar), 0);
    textbuf_done(&t);
}

static void a_cut_archive_ends_in_an_error_or_between_files(void **state)
{
    (void)state;
    struct textbuf t = archive();
    for (size_t len = 0; len < t.len - 2 * TARFILE_BLOCK; len++) {
        struct memory m = {(unsigned char *)t.bytes, len};
        struct tarfile tar = {.read = read_memory, .from = &m};
        int got, files = 0;
        while ((got = tarfile_next(&tar)) > 0)
            files++;
        assert_true(files <= 3 && (got == E_TRUNCATED || (got == 0 && len % TARFILE_BLOCK == 0)));
    }
    textbuf_done(&t);
}

static void a_changed_head_is_refused(void **state)
{
    (void)state;
    struct textbuf t = archive();
    t.bytes[0] ^= 1;
    assert_false(tarfile_is_one(t.bytes, t.len));
    struct memory m = {(unsigned char *)t.bytes, t.len};
    struct tarfile tar = {.read = read_memory, .from = &m};
    assert_int_equal(tarfile_next(&tar), E_FORMAT);
    textbuf_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_cut_archive_ends_in_an_error_or_between_files),
        cmocka_unit_test(a_changed_head_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
