/*
 * load.c - reads a file into a profile.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reading/load.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/diag.h"
#include "base/err.h"
#include "base/feed.h"
#include "base/headroom.h"
#include "base/plural.h"
#include "format/format.h"
#include "format/hprof_file.h"
#include "gzip/gzfeed.h"
#include "profile/fold.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/series.h"
#include "profile/sieve.h"
#include "profile/sums.h"
#include "profile/typed_events.h"

/* Bytes of the model for each byte of the file. 16 are far more than a text or binary profile
 * needs, but still a bound. The model takes memory only as it grows. */
enum { MODEL_PER_BYTE = 16, MODEL_MIN = 64 * 1024 * 1024 };

enum {
    BEGINNING = 1 << 16, /* bytes by which a format is recognised */
    COUNTS_SHARE = 8,    /* counts alone get this fraction of the model's budget */
    AGAIN = 2,           /* result code: the model is too small for the file */
};

/* Reports damage. Offsets and lines of a packed file are those of the unpacked bytes. */
static void tell_damage(struct diag *diag, const char *path, bool is_packed,
                        const struct reader_error *error)
{
    const char *of = is_packed ? " unpacked" : "";
    const char *rest =
        error->offset > 0 && !error->is_passed ? "; what came before it was read" : "";
    const char *detail = error->detail ? error->detail : err_text(error->code);
    char lost[40] = "";
    if (error->lost > 0)
        snprintf(lost, sizeof(lost), " (%" PRIu64 " byte%s)", error->lost, plural_s(error->lost));

    if (error->line != 0)
        diag_tell(diag, error->code, path, "offset %" PRIu64 "%s (line %" PRIu64 "): %s%s",
                  error->offset, of, error->line, detail, rest);
    else
        diag_tell(diag, error->code, path, "offset %" PRIu64 "%s: %s%s%s", error->offset, of,
                  detail, lost, rest);
    if (error->others > 0)
        diag_tell(diag, error->code, path, "and %" PRIu32 " more such place%s", error->others,
                  error->others > 1 ? "s" : "");
}

/* The state of reading one file, once or several times. */
struct reading {
    const char *path;
    struct diag *diag;
    int fd;
    struct gzfeed file;
    struct load *load;
    struct sieve *sieve;  /* NULL: all stacks are read */
    size_t budget;        /* the bound of the model's memory */
    struct load_how how;  /* its window is resolved for this file */
    bool can_begin_again; /* the file is regular, and its format can leave out stacks */
};

/* Replaces the model by one whose smallest stacks are merged. For a short time both exist, the full
 * model and one of half its size. */
static void fold(struct reading *r)
{
    struct profile *folded = fold_smallest(r->load->profile, r->budget, r->budget / 8 * 3);
    if (!folded)
        return;
    profile_free(r->load->profile);
    r->load->profile = folded;
}

static bool is_full(const struct reading *r)
{
    return r->can_begin_again &&
           (profile_is_crowded(r->load->profile) || profile_lost(r->load->profile) > 0);
}

/* Reads into the model. Pages of the file are released after they were read. Returns 0, AGAIN, or
 * the code in `in->error`. */
static int read_all(struct reading *r, struct reader_in *in)
{
    const struct format *format = r->load->format;
    int code;
    *in = (struct reader_in){.feed = &r->file.feed,
                             .profile = r->load->profile,
                             .sieve = r->sieve,
                             .want = r->how.want,
                             .window = window_is_set(&r->how.window) ? &r->how.window : NULL};
    uint64_t whole = r->file.feed.is_whole ? r->file.feed.len : 0;
    code = format->reader->open(in);
    while (code >= 0 && !is_full(r) && (code = format->reader->next(in)) > 0) {
        feed_release(in->feed, in->position);
        if (reader_can(format->reader, READER_FOLDABLE) && profile_is_crowded(r->load->profile))
            fold(r);
        in->profile = r->load->profile;
        diag_advance(r->diag, r->path, in->position, whole);
    }
    diag_advance(r->diag, r->path, UINT64_MAX, whole);
    format->reader->close(in);
    r->load->kinds_met |= in->kinds_met;
    return is_full(r) ? AGAIN : code;
}

/* Reads the file from its beginning into an empty model. */
static int read_again(struct reading *r, struct reader_in *in)
{
    profile_free(r->load->profile);
    r->load->profile = profile_new(r->budget);
    gzfeed_close(&r->file);
    int error = gzfeed_open(&r->file, r->fd);

    if (!r->load->profile || error != 0) {
        *in = (struct reader_in){.error = {.code = error ? error : -ENOMEM}};
        return in->error.code;
    }
    feed_has(&r->file.feed, 0, BEGINNING);
    if (r->sieve && !sieve_is_counting(r->sieve))
        sieve_begin(r->sieve, r->load->profile);
    return read_all(r, in);
}

/* Reads a file whose stacks do not all fit into memory: first only the counts, then the largest
 * stacks, as many as fit. */
static int read_sieved(struct reading *r, struct reader_in *in)
{
    uint32_t most = profile_trace_count(r->load->profile) / 3 * 2;
    int code = AGAIN;
    r->sieve = sieve_new(r->budget / COUNTS_SHARE);
    if (r->sieve && read_again(r, in) != AGAIN)
        for (; code == AGAIN && (most = sieve_keep(r->sieve, most)) > 0; most = most / 4 * 3)
            code = read_again(r, in);
    if (code != AGAIN) {
        if (r->load->profile)
            profile_set_quality(r->load->profile, quality_name(QUALITY_STACKS_FOLDED),
                                sieve_folded(r->sieve));
        return code;
    }
    sieve_free(r->sieve);
    r->sieve = NULL;
    r->can_begin_again = false;
    return read_again(r, in);
}

/* Half of the memory that the machine or the cgroup has left. The length of a stream is unknown,
 * and a small packed file may unpack to more than the memory. */
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

bool load_is_empty(const struct load *load)
{
    bool is_empty = hprof_file_of(load->profile)->monitor_dumps == 0 &&
                    profile_typed(load->profile)->first_ns == 0;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        is_empty &= profile_sums(load->profile, (enum kind_id)kind)->rows.count == 0;
    return is_empty;
}

static int parse(struct reading *r)
{
    struct load *load = r->load;
    struct reader_in in;
    load->profile = profile_new(r->budget);
    if (!load->profile)
        return -ENOMEM;
    int code = read_all(r, &in);

    if (code == AGAIN)
        code = read_sieved(r, &in);
    if (!load->profile)
        return code;
    if (code == 0 && r->how.want.states && !in.has_met_state) {
        diag_tell(r->diag, E_NOT_FOUND, r->path,
                  "no sample of a thread in the state '%s'; there are:%s", r->how.want.states,
                  *in.states_met ? in.states_met : " none with a state");
        return E_NOT_FOUND;
    }
    if (code == 0 && window_is_set(&r->how.window) && load_is_empty(load)) {
        diag_tell(r->diag, E_NOT_FOUND, r->path, "no event is between --from and --to");
        return E_NOT_FOUND;
    }
    if (code < 0) {
        if (!r->how.is_again)
            tell_damage(r->diag, r->path, r->file.unpack.kind != NULL, &in.error);
        load->damaged = true;
        if (code == E_NOT_FOUND || (code == E_UNSUPPORTED && load_is_empty(load)))
            return code;
    }
    if (profile_lost(load->profile) > 0) {
        diag_tell(r->diag, -ENOMEM, r->path,
                  "too much for the memory allowed; %" PRIu64 " part%s missing",
                  profile_lost(load->profile),
                  plural_of(profile_lost(load->profile), " of it is", "s of it are"));
        load->damaged = true;
    }
    return 0;
}

/* Whether the format has the times or states that the user asked for. Errors: 0, or negative after
 * saying what it lacks. */
static int check_times(const struct reading *r)
{
    const struct format *format = r->load->format;
    const char *what = r->how.want.states ? "--state" : "--from and --to";
    if (reader_can(format->reader, READER_TIMES) ||
        (!r->how.want.states && !window_is_set(&r->how.window)))
        return 0;
    diag_tell(r->diag, E_UNSUPPORTED, r->path,
              "files of the format '%s' hold sums, which %s cannot part; JFR recordings have times",
              format->name, what);
    return E_UNSUPPORTED;
}

static int read_file(struct reading *r)
{
    struct feed *feed = &r->file.feed;
    struct load *load = r->load;
    struct stat st;
    feed_has(feed, 0, BEGINNING);
    if (feed->len == 0 && feed->error == 0) {
        diag_tell(r->diag, E_FORMAT, r->path,
                  "the file is empty; was its JVM killed before it could write?");
        return E_FORMAT;
    }
    if (feed->len == 0) {
        diag_tell(r->diag, feed->error, r->path, "%s",
                  feed->why ? feed->why : err_text(feed->error));
        return feed->error;
    }
    if (!load->format)
        load->format = format_probe(feed->bytes, feed->len);
    if (!load->format) {
        diag_tell(r->diag, E_FORMAT, r->path,
                  "offset 0: not a profile in any known format; 'hprof formats' lists them");
        return E_FORMAT;
    }
    int code = check_times(r);
    if (code < 0)
        return code;
    r->budget = budget_of(feed, r->how.memory);
    r->can_begin_again = reader_can(load->format->reader, READER_SIEVED) &&
                         fstat(r->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    code = parse(r);
    if (code < 0 && code != E_NOT_FOUND && code != E_UNSUPPORTED)
        diag_tell(r->diag, code, r->path, "%s", err_text(code));
    return code;
}

int load_open(const char *path, const struct load_how *how, struct diag *diag,
              struct load *ret_load)
{
    struct reading reading = {.path = how->name ? how->name : path,
                              .diag = diag,
                              .fd = open(path, O_RDONLY | O_CLOEXEC),
                              .load = ret_load,
                              .how = *how};
    enum kind_id drawn;
    int code;
    if (how->want.drawn && kind_jfr_of(KIND_JFR_OF_USER, &drawn))
        reading.how.want.kinds = 1u << drawn;
    *ret_load = (struct load){.format = how->format, .kinds = reading.how.want.kinds};
    code = reading.fd < 0 ? -errno : gzfeed_open(&reading.file, reading.fd);
    if (code < 0)
        diag_tell(diag, code, reading.path, "%s", strerror(-code));
    else
        code = read_file(&reading);
    if (reading.fd >= 0) {
        gzfeed_close(&reading.file);
        close(reading.fd);
    }
    sieve_free(reading.sieve);
    return code;
}

static bool has_any(const struct load *load)
{
    return series_next_in(NULL, load->profile) != NULL;
}

/* The kinds to read after a first attempt found no events; 0: all kinds. */
static uint32_t kinds_instead(const struct load *load, uint32_t read)
{
    for (const struct series *each = series_next(NULL); each; each = series_next(each))
        if (load->kinds_met & ~read & 1u << each->kind)
            return 1u << each->kind;
    return 0;
}

/* Only a regular file can be read several times. */
int load_open_series(const char *path, const struct load_how *how, const struct series *wanted,
                     struct diag *diag, struct load *ret_load)
{
    struct load_how one = *how;
    struct stat file;
    uint32_t read = 0;
    if (stat(path, &file) < 0 || !S_ISREG(file.st_mode))
        return load_open(path, how, diag, ret_load);
    one.want.kinds = 1u << (wanted ? wanted : series_next(NULL))->kind;
    for (;;) {
        int r = load_open(path, &one, diag, ret_load);
        if (r != 0 || one.want.kinds == 0 ||
            (wanted ? series_is_in(wanted, ret_load->profile) : has_any(ret_load)))
            return r;
        read |= one.want.kinds;
        one.want.kinds = wanted ? 0 : kinds_instead(ret_load, read);
        if (one.want.kinds == 0 && !(ret_load->kinds_met & ~read) && !wanted)
            return r;
        one.is_again = ret_load->damaged;
        load_close(ret_load);
    }
}

void load_close(struct load *load)
{
    profile_free(load->profile);
    *load = (struct load){0};
}
