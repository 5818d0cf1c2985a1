/* gzip_gzfeed.c - packed files, written and read. SPDX-License-Identifier: Apache-2.0 */
#include "gzip/gzfeed.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "cmocka_all.h"
#include "gzip/gzsink.h"
#include "gzip/unpackread.h"
#include "testfile.h"

/* Bytes that a sink has taken. */
struct bytes {
    unsigned char *at;
    size_t len;
};

static int keep(void *to, const unsigned char *bytes, size_t len)
{
    struct bytes *b = to;
    b->at = realloc(b->at, b->len + len);
    memcpy(b->at + b->len, bytes, len);
    b->len += len;
    return 0;
}

static void pack(struct bytes *to, const char *text, size_t len)
{
    struct sink sink;
    struct gzsink g;
    assert_int_equal(sink_init_taker(&sink, keep, to), 0);
    assert_int_equal(gzsink_open(&g, &sink), 0);
    sink_bytes(&g.sink, text, len);
    assert_int_equal(sink_rewrite(&g.sink, 0, "x", 1), -ESPIPE);
    assert_int_equal(gzsink_close(&g), 0);
    assert_int_equal(sink_done(&sink), 0);
}

/* So much is held of what was packed to nearly nothing; what is given back does not count. */
static void zeros_are_held_up_to_a_bound(void **state)
{
    enum { LEN = 128 << 20, MOST = 80 << 20, STEP = 16 << 20 };
    char *zeros = calloc(1, LEN);
    struct bytes packed = {0};
    struct gzfeed g;
    (void)state;
    pack(&packed, zeros, LEN);
    assert_true(packed.len < LEN / 500);
    assert_int_equal(gzfeed_open_memory(&g, packed.at, packed.len), 0);
    assert_false(feed_has(&g.feed, 0, LEN));
    assert_int_equal(g.feed.error, E_LIMIT);
    assert_non_null(strstr(g.feed.why, "unpack it"));
    assert_true(g.feed.len < MOST);
    gzfeed_close(&g);
    assert_int_equal(gzfeed_open_memory(&g, packed.at, packed.len), 0);
    for (size_t at = 0; at < LEN; at += STEP) {
        feed_release(&g.feed, at);
        assert_true(feed_has(&g.feed, at, STEP));
    }
    assert_false(feed_has(&g.feed, LEN, 1));
    assert_int_equal(g.feed.error, 0);
    gzfeed_close(&g);
    free(packed.at);
    free(zeros);
}

static const char words[] = "what is packed is read as it was, to the last byte of it";

static void what_is_packed_is_read_as_it_was(void **state)
{
    enum { LINES = 300000 };
    char *text = malloc((size_t)LINES * 40);
    size_t len = 0;
    struct bytes packed = {0};
    struct gzfeed g;
    (void)state;
    for (int i = 0; i < LINES; i++)
        len += (size_t)sprintf(text + len, "line %d of %d\n", i, i * 79 % 65537);
    pack(&packed, text, len);
    assert_true(packed.len < len / 2);
    assert_int_equal(gzfeed_open_memory(&g, packed.at, packed.len), 0);
    assert_true(feed_has(&g.feed, 0, len));
    assert_memory_equal(g.feed.bytes, text, len);
    assert_false(feed_has(&g.feed, len, 1));
    assert_int_equal(g.feed.error, 0);
    gzfeed_close(&g);
    free(packed.at);
    free(text);
}

static void plain_files_and_pipes_are_read_too(void **state)
{
    struct gzfeed g;
    struct bytes packed = {0};
    int ends[2];
    (void)state;
    pack(&packed, words, sizeof(words));
    int fd = testfile_temp();
    assert_int_equal(write(fd, words, sizeof(words)), sizeof(words));
    assert_int_equal(gzfeed_open(&g, fd), 0);
    assert_null(g.unpack.kind);
    assert_memory_equal(g.feed.bytes, words, sizeof(words));
    gzfeed_close(&g);
    close(fd);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], packed.at, packed.len), packed.len);
    close(ends[1]);
    assert_int_equal(gzfeed_open(&g, ends[0]), 0);
    assert_true(feed_has(&g.feed, 0, sizeof(words)));
    assert_memory_equal(g.feed.bytes, words, sizeof(words));
    assert_false(feed_more(&g.feed));
    gzfeed_close(&g);
    close(ends[0]);
    assert_int_equal(gzfeed_open(&g, -1), -EBADF);
    gzfeed_close(&g);
    free(packed.at);
}

/* Two frames of zstd, with one between them that readers skip, and zeros behind them. */
static const char lines[] = "main;a.b 5\nmain;c.d 7\n";
static const unsigned char frames[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x59, 0x00, 0x00, 0x6d, 0x61, 0x69, 0x6e, 0x3b, 0x61, 0x2e,
    0x62, 0x20, 0x35, 0x0a, 0x87, 0xd0, 0x09, 0x6d, 0x50, 0x2a, 0x4d, 0x18, 0x04, 0x00, 0x00, 0x00,
    0x73, 0x6b, 0x69, 0x70, 0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x59, 0x00, 0x00, 0x6d, 0x61, 0x69,
    0x6e, 0x3b, 0x63, 0x2e, 0x64, 0x20, 0x37, 0x0a, 0x03, 0x80, 0x5f, 0x5d, 0x00, 0x00, 0x00};
enum { SUM = 20, END = 60 }; /* the first check sum; where the zeros begin */

/* Whether this build knows zstd. */
static bool has_zstd(void)
{
    struct unpack u;
    const char *why;
    int error = unpack_open(&u, unpack_kind_of(frames, sizeof(frames)), &why);
    unpack_close(&u);
    assert_true(error == 0 || error == E_UNSUPPORTED);
    return error == 0;
}

static void frames_of_zstd_are_read_too(void **state)
{
    unsigned char bytes[sizeof(frames)];
    struct gzfeed g;
    (void)state;
    memcpy(bytes, frames, sizeof(frames));
    if (!has_zstd()) {
        assert_int_equal(gzfeed_open_memory(&g, bytes, sizeof(bytes)), 0);
        assert_false(feed_has(&g.feed, 0, 1));
        assert_int_equal(g.feed.error, E_UNSUPPORTED);
        assert_non_null(strstr(g.feed.why, "zstd -d"));
        gzfeed_close(&g);
        return;
    }
    for (size_t len = UNPACK_HEAD; len <= sizeof(bytes); len++) {
        assert_int_equal(gzfeed_open_memory(&g, bytes, len), 0);
        while (feed_more(&g.feed))
            ;
        assert_memory_equal(g.feed.bytes, lines, g.feed.len);
        assert_true(g.feed.error == 0 || g.feed.error == E_TRUNCATED || g.feed.error == E_FORMAT);
        if (len >= END) {
            assert_int_equal(g.feed.error, 0);
            assert_int_equal(g.feed.len, sizeof(lines) - 1);
        }
        gzfeed_close(&g);
    }
    bytes[SUM]++;
    assert_int_equal(gzfeed_open_memory(&g, bytes, sizeof(bytes)), 0);
    assert_false(feed_has(&g.feed, 0, sizeof(lines) - 1));
    assert_int_equal(g.feed.error, E_FORMAT);
    gzfeed_close(&g);
}

/* The reader of a fixed buffer gives what the feed gives, in pieces of any size, from files and
 * from a pipe that brings a byte at a time. */
static void read_to_the_end(const void *packed, size_t len, size_t piece, const char *text,
                            size_t text_len, int wanted)
{
    struct unpackread *u;
    unsigned char *to = malloc(text_len + piece);
    size_t done = 0;
    ssize_t n;
    int fd = testfile_temp();
    assert_int_equal(write(fd, packed, len), len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(unpackread_open(fd, &u), 0);
    while ((n = unpackread_read(u, to + done, piece)) > 0 && done <= text_len)
        done += (size_t)n;
    assert_int_equal(n, wanted);
    assert_int_equal(unpackread_read(u, to, piece), wanted);
    assert_true(wanted < 0 || done == text_len);
    if (wanted != E_FORMAT) /* a check sum comes behind what it is of */
        assert_memory_equal(to, text, done);
    assert_true((unpackread_why(u) != NULL) == (wanted < 0));
    unpackread_close(u);
    close(fd);
    free(to);
}

static void the_reader_of_a_fixed_buffer_gives_the_same(void **state)
{
    enum { LINES = 100000 };
    char *text = malloc((size_t)LINES * 40);
    size_t len = 0;
    struct bytes packed = {0};
    (void)state;
    for (int i = 0; i < LINES; i++)
        len += (size_t)sprintf(text + len, "line %d of %d\n", i, i * 79 % 65537);
    /* as HotSpot writes its dumps: members of a part of the file each */
    for (size_t at = 0; at < len; at += len / 7 + 1)
        pack(&packed, text + at, len - at < len / 7 + 1 ? len - at : len / 7 + 1);
    read_to_the_end(text, len, 1000, text, len, 0);
    read_to_the_end(packed.at, packed.len, 1 << 20, text, len, 0);
    read_to_the_end(packed.at, packed.len, 7, text, len, 0);
    read_to_the_end(packed.at, packed.len / 2, 4096, text, len, E_TRUNCATED);
    packed.at[packed.len / 2] ^= 1;
    read_to_the_end(packed.at, packed.len, 4096, text, len, E_FORMAT);
    read_to_the_end("", 0, 10, "", 0, 0);
    read_to_the_end("\x1f", 1, 10, "\x1f", 1, 0);
    free(packed.at);
    free(text);
}

static void of_a_file_that_is_cut_off_there_is_what_came_before(void **state)
{
    struct bytes packed = {0};
    size_t last = 0;
    (void)state;
    pack(&packed, words, sizeof(words));
    for (size_t len = 3; len < packed.len; len++) {
        struct gzfeed g;
        assert_int_equal(gzfeed_open_memory(&g, packed.at, len), 0);
        while (feed_more(&g.feed))
            ;
        assert_int_equal(g.feed.error, E_TRUNCATED);
        assert_string_equal(g.feed.why, "the packed data is cut off");
        assert_true(g.feed.len >= last);
        assert_memory_equal(g.feed.bytes, words, g.feed.len);
        last = g.feed.len;
        gzfeed_close(&g);
    }
    assert_int_equal(last, sizeof(words)); /* the check sum was cut off */
    free(packed.at);
}

static void damage_is_an_error(void **state)
{
    struct bytes packed = {0};
    (void)state;
    pack(&packed, words, sizeof(words));
    for (size_t i = packed.len - 8; i < packed.len; i++) {
        struct gzfeed g;
        packed.at[i] ^= 1;
        assert_int_equal(gzfeed_open_memory(&g, packed.at, packed.len), 0);
        while (feed_more(&g.feed))
            ;
        assert_int_equal(g.feed.error, E_FORMAT);
        assert_string_equal(g.feed.why, "the packed data is damaged");
        gzfeed_close(&g);
        packed.at[i] ^= 1;
    }
    free(packed.at);
}

/* Two members, padded, are one file; other bytes behind are said. */
static void members_follow_each_other(void **state)
{
    struct bytes packed = {0};
    struct gzfeed g;
    (void)state;
    pack(&packed, "one ", 4);
    pack(&packed, "", 0);
    pack(&packed, "two", 4);
    keep(&packed, (const unsigned char *)"\0\0\0\0", 4);
    assert_int_equal(gzfeed_open_memory(&g, packed.at, packed.len), 0);
    while (feed_more(&g.feed))
        ;
    assert_int_equal(g.feed.error, 0);
    assert_int_equal(g.feed.len, 8);
    assert_string_equal((const char *)g.feed.bytes, "one two");
    gzfeed_close(&g);
    keep(&packed, (const unsigned char *)"more", 4);
    assert_int_equal(gzfeed_open_memory(&g, packed.at, packed.len), 0);
    while (feed_more(&g.feed))
        ;
    assert_int_equal(g.feed.error, E_FORMAT);
    assert_int_equal(g.feed.len, 8);
    gzfeed_close(&g);
    free(packed.at);
}

static size_t resident_kb(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    size_t kb = 0;
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "VmRSS: %zu", &kb) == 1)
            break;
    fclose(f);
    return kb;
}

/* 256 MB of zeros are 256 kB, packed. */
static void what_was_read_takes_no_memory(void **state)
{
    enum { MEGABYTE = 1 << 20, MEGABYTES = 256, AT_MOST_KB = 64 * 1024 };
    static const char zeros[MEGABYTE];
    struct bytes packed = {0};
    struct sink sink;
    struct gzsink out;
    struct gzfeed g;
    size_t most = 0, before;
    (void)state;
    assert_int_equal(sink_init_taker(&sink, keep, &packed), 0);
    assert_int_equal(gzsink_open(&out, &sink), 0);
    for (int i = 0; i < MEGABYTES; i++)
        sink_bytes(&out.sink, zeros, sizeof(zeros));
    assert_int_equal(gzsink_close(&out), 0);
    assert_int_equal(sink_done(&sink), 0);
    assert_true(packed.len < 2 * MEGABYTE);
    before = resident_kb();
    assert_int_equal(gzfeed_open_memory(&g, packed.at, packed.len), 0);
    while (feed_more(&g.feed)) {
        size_t now = resident_kb();
        most = now > most ? now : most;
        feed_release(&g.feed, g.feed.len);
    }
    assert_int_equal(g.feed.len, (size_t)MEGABYTES * MEGABYTE);
    assert_int_equal(g.feed.error, 0);
    gzfeed_close(&g);
#if !defined(__SANITIZE_ADDRESS__)
    assert_true(most < before + AT_MOST_KB);
#endif
    free(packed.at);
}

static int refuse(void *to, const unsigned char *bytes, size_t len)
{
    return -ENOSPC;
}

static void a_failure_of_the_file_is_that_of_the_sink(void **state)
{
    struct sink sink;
    struct gzsink g;
    (void)state;
    assert_int_equal(sink_init_taker(&sink, refuse, NULL), 0);
    assert_int_equal(gzsink_open(&g, &sink), 0);
    sink_bytes(&g.sink, words, sizeof(words));
    gzsink_close(&g);
    assert_int_equal(sink_done(&sink), -ENOSPC);
}

static void a_packed_file_has_a_suffix(void **state)
{
    (void)state;
    assert_int_equal(gzsink_suffix("x.collapsed.gz"), 3);
    assert_int_equal(gzsink_suffix("x.gz.collapsed"), 0);
    assert_int_equal(gzsink_suffix(".gz"), 0);
    assert_int_equal(gzsink_suffix("-"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_are_held_up_to_a_bound),
        cmocka_unit_test(what_is_packed_is_read_as_it_was),
        cmocka_unit_test(plain_files_and_pipes_are_read_too),
        cmocka_unit_test(of_a_file_that_is_cut_off_there_is_what_came_before),
        cmocka_unit_test(frames_of_zstd_are_read_too),
        cmocka_unit_test(the_reader_of_a_fixed_buffer_gives_the_same),
        cmocka_unit_test(damage_is_an_error),
        cmocka_unit_test(members_follow_each_other),
        cmocka_unit_test(what_was_read_takes_no_memory),
        cmocka_unit_test(a_failure_of_the_file_is_that_of_the_sink),
        cmocka_unit_test(a_packed_file_has_a_suffix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
