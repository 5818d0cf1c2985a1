/*
 * load.c - from a path to a profile.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "load.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/feed.h"
#include "base/headroom.h"
#include "cli/say.h"
#include "format/format.h"
#include "gzip/gzfeed.h"
#include "profile/fold.h"
#include "profile/profile.h"

/* The model takes pages as it grows; 16 bytes of it for one of the file is far more than a text or
 * binary profile needs, and still a bound. */
enum { MODEL_PER_BYTE = 16, MODEL_MIN = 64 * 1024 * 1024 };

enum { BEGINNING = 1 << 16 }; /* bytes by which a format is recognised */

/* Offsets and lines are those of what is read: of a packed file, unpacked. */
static void say_damage(const char *path, bool is_packed, const struct format_error *error)
{
    const char *of = is_packed ? " unpacked" : "";
    const char *rest = error->offset > 0 ? "; what came before it was read" : "";
    const char *detail = error->detail ? error->detail : err_text(error->code);

    if (error->line != 0)
        say("%s: offset %" PRIu64 "%s (line %" PRIu64 "): %s%s", path, error->offset, of,
            error->line, detail, rest);
    else
        say("%s: offset %" PRIu64 "%s: %s; what came before it was read", path, error->offset, of,
            detail);
}

/* For a while there are two: the crowded one, and one of half its size. */
static void fold(struct load *load, size_t budget)
{
    struct profile *folded = fold_smallest(load->profile, budget, budget / 8 * 3);

    if (!folded)
        return;
    profile_free(load->profile);
    load->profile = folded;
}

/* The pages behind the reader go as it goes on. */
static int read_all(struct format_in *in, struct load *load, size_t budget)
{
    int r;

    in->profile = load->profile;
    r = load->format->open(in);
    while (r >= 0 && (r = load->format->next(in)) > 0) {
        feed_release(in->feed, in->position);
        if (load->format->is_foldable && profile_is_crowded(load->profile))
            fold(load, budget);
        in->profile = load->profile;
    }
    load->format->close(in);
    return r;
}

/* Half of what the machine or a cgroup has left: of a stream nobody knows how much will come, and a
 * small packed file may unpack to more than there is memory. */
static size_t budget_of_stream(void)
{
    struct headroom room;

    headroom_open(&room, "/proc");
    uint64_t left = headroom_left(&room);

    headroom_close(&room);
    return left / 2 > MODEL_MIN ? (size_t)(left / 2) : MODEL_MIN;
}

static size_t budget_of(const struct feed *feed, uint64_t memory)
{
    if (memory > 0)
        return (size_t)(memory / 3 * 2);
    return feed->is_whole ? MODEL_MIN + MODEL_PER_BYTE * feed->len : budget_of_stream();
}

static int parse(const char *path, struct gzfeed *file, uint64_t memory, struct load *load)
{
    struct format_in in = {.feed = &file->feed};

    size_t budget = budget_of(&file->feed, memory);

    load->profile = profile_new(budget);
    if (!load->profile)
        return -ENOMEM;
    if (read_all(&in, load, budget) < 0) {
        say_damage(path, file->stream != NULL, &in.error);
        load->damaged = true;
    }
    if (profile_lost(load->profile) > 0) {
        say("%s: too much for the memory allowed; %" PRIu64 " parts of it are missing", path,
            profile_lost(load->profile));
        load->damaged = true;
    }
    return 0;
}

static int read_feed(const char *path, struct gzfeed *file, uint64_t memory, struct load *load)
{
    struct feed *feed = &file->feed;

    feed_has(feed, 0, BEGINNING);
    if (feed->len == 0 && feed->error == 0) {
        say("%s: the file is empty; was its JVM killed before it could write?", path);
        return E_FORMAT;
    }
    if (feed->len == 0) {
        say("%s: %s", path, feed->why ? feed->why : err_text(feed->error));
        return feed->error;
    }
    if (!load->format)
        load->format = format_probe(feed->bytes, feed->len);
    if (!load->format) {
        say("%s: offset 0: not a profile in any known format; 'hprof formats' lists them", path);
        return E_FORMAT;
    }
    int r = parse(path, file, memory, load);
    if (r < 0)
        say("%s: %s", path, err_text(r));
    return r;
}

int load_open(const char *path, const struct format *format, uint64_t memory, struct load *ret_load)
{
    struct gzfeed file;

    *ret_load = (struct load){.format = format};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int r = fd < 0 ? -errno : gzfeed_open(&file, fd);

    if (r < 0)
        say("%s: %s", path, strerror(-r));
    else
        r = read_feed(path, &file, memory, ret_load);
    if (fd >= 0) {
        gzfeed_close(&file);
        close(fd);
    }
    return r;
}

void load_close(struct load *load)
{
    profile_free(load->profile);
    *load = (struct load){0};
}
