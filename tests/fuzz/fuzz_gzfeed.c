/*
 * fuzz_gzfeed.c - packed files, and the readers of formats over what they unpack to.
 *
 * An input that is not packed is read as it is. SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "format/format.h"
#include "fuzz.h"
#include "gzip/gzfeed.h"
#include "gzip/unpackread.h"
#include "profile/profile.h"

enum { UNPACKED_MAX = 1 << 24, BEGINNING = 1 << 16 };

/* The window of a frame of zstd, for which its head asks: 128 MB at most, and some more for each of
 * two readers. */
extern const size_t meter_least;
const size_t meter_least = (size_t)300 << 20;

static void must(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

/* As the command reads, but for the end of it all. */
static void read_profile(struct feed *feed)
{
    struct profile *p = profile_new(1 << 20);
    struct reader_in in = {.feed = feed, .profile = p};
    const struct format *f = NULL;
    int r;
    must(p != NULL, "memory");
    feed_has(feed, 0, BEGINNING);
    if (feed->len > 0)
        f = format_probe(feed->bytes, feed->len);
    if (f) {
        r = f->reader->open(&in);
        while (r >= 0 && in.position < UNPACKED_MAX && (r = f->reader->next(&in)) > 0) {
            must(in.position <= feed->len, "a reader is where there are bytes");
            feed_release(feed, in.position);
        }
        f->reader->close(&in);
        must(r != 0 || feed->is_whole, "a reader goes to the end");
        must(r != 0 || feed->error == 0, "an error of the feed is one of the reader");
    }
    profile_free(p);
}

/* The reader of a fixed buffer gives the same bytes, though not the bound of the feed. */
static void read_again(const uint8_t *bytes, size_t len, const struct gzfeed *g, uint64_t all)
{
    static unsigned char piece[1 << 16];
    struct unpackread *u;
    uint64_t done = 0;
    ssize_t n = 0;
    int fd = memfd_create("fuzz_gzfeed", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, bytes, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0, "a file");
    must(unpackread_open(fd, &u) == 0, "memory");
    while (done < UNPACKED_MAX && (n = unpackread_read(u, piece, sizeof(piece))) > 0)
        done += (uint64_t)n;
    if (g->feed.is_whole && done < UNPACKED_MAX) {
        must(done == all, "both readers give as many bytes");
        must((n < 0) == (g->feed.error < 0), "both readers meet the same end");
    }
    unpackread_close(u);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct gzfeed g;
    if (gzfeed_open_memory(&g, bytes, len) == 0)
        read_profile(&g.feed);
    gzfeed_close(&g);
    if (gzfeed_open_memory(&g, bytes, len) == 0) {
        while (g.feed.len < UNPACKED_MAX && feed_more(&g.feed))
            feed_release(&g.feed, g.feed.len);
        must(!g.feed.is_whole || !feed_more(&g.feed), "behind the end there is nothing");
        read_again(bytes, len, &g, g.feed.len);
    }
    gzfeed_close(&g);
    return 0;
}
