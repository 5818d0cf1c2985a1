/*
 * fuzz_convert.c - files of any format, and what was read written in every format that is written.
 *
 * Byte 0 chooses the value that formats of one value hold, byte 1 how packages are written; the
 * file follows. Names, numbers, times and single events of the file reach each writer as they are.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/feed.h"
#include "base/sink.h"
#include "format/format.h"
#include "fuzz.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "profile/typed_events.h"

enum { HEAD = 2, MODEL = 1 << 21 };

static void must(bool holds, const char *promise)
{
    if (holds)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static struct profile *read_file(const uint8_t *bytes, size_t len)
{
    const struct format *format = format_probe(bytes, len);
    struct profile *profile = profile_new(MODEL);
    struct feed feed;
    struct reader_in in = {.feed = &feed,
                           .profile = profile,
                           .want = {.with_threads = true,
                                    .with_times = true,
                                    .with_processes = true,
                                    .with_contexts = true,
                                    .with_types = true}};
    int code;
    must(profile != NULL, "memory");
    feed_memory(&feed, bytes, len);
    if (format) {
        code = format->reader->open(&in);
        while (code >= 0 && (code = format->reader->next(&in)) > 0)
            ;
        format->reader->close(&in);
    }
    return profile;
}

struct writing {
    struct writer_out *out;
    uint32_t *rows[KIND_COUNT]; /* which event of the file a row of the sums became */
};

static int write_kind(struct writing *w, enum kind_id kind)
{
    const struct sums *sums = profile_sums(w->out->profile, kind);
    int r = 0;
    w->rows[kind] = calloc(sums->rows.count + (size_t)1, sizeof(**w->rows));
    must(w->rows[kind] != NULL, "memory");
    for (uint32_t i = 1; i <= sums->rows.count && r == 0; i++) {
        const struct sum *sum = sums_at(sums, i);
        struct event event = {
            .kind = kind, .trace = sum->trace, .klass = sum->klass, .text = sum->text};
        memcpy(event.value, sum->value, kind_value_count(kind) * sizeof(*event.value));
        w->rows[kind][i] = ++w->out->row;
        r = writer_event(w->out, &event);
    }
    return r;
}

static int write_moments(struct writing *w)
{
    struct moments_at at = moments_begin(profile_moments(w->out->profile));
    struct moment m;
    int r = 0;
    while (r == 0 && w->out->timed_kinds && moments_next(&at, &m)) {
        struct event event = {.kind = m.kind, .time_ns = m.time_ns};
        memcpy(event.value, m.value, sizeof(event.value));
        if (w->rows[m.kind] && w->rows[m.kind][m.row])
            r = writer_moment(w->out, w->rows[m.kind][m.row], &event);
    }
    return r;
}

static int write_types(struct writing *w)
{
    const struct typed_events *all = profile_typed(w->out->profile);
    int r = 0;
    for (uint32_t i = 1; i <= typed_events_count(all); i++) {
        const struct typed_type *type = typed_events_at(all, i);
        for (uint32_t k = 1; k <= type->kept.count && r == 0; k++) {
            const struct typed_event *kept = typed_events_kept(type, k);
            const struct custom_event custom = {&type->type, kept->values};
            struct event event = {.kind = KIND_CUSTOM,
                                  .trace = kept->trace,
                                  .context = kept->context,
                                  .time_ns = kept->time_ns,
                                  .value = {kept->duration_ns, 1},
                                  .custom = &custom};
            r = writer_event(w->out, &event);
        }
    }
    return r;
}

static void write_file(struct writer_out *out)
{
    struct writing w = {.out = out};
    const struct moments *m = profile_moments(out->profile);
    if (writer_can(out->writer, WRITER_TIMES)) {
        out->timed_kinds = m->kinds & out->kinds;
        out->first_ns = m->first_ns;
        out->last_ns = m->last_ns;
    }
    if (writer_can(out->writer, WRITER_NEEDS_TIMES) && !out->timed_kinds)
        return;
    int r = writer_begin(out);
    for (int kind = 0; kind < KIND_COUNT && r == 0; kind++)
        if (out->kinds >> kind & 1)
            r = write_kind(&w, (enum kind_id)kind);
    if (r == 0)
        r = write_moments(&w);
    if (r == 0 && writer_can(out->writer, WRITER_TYPES))
        r = write_types(&w);
    int ended = writer_end(out);
    r = r != 0 ? r : ended;
    must(r == 0 || r == E_LIMIT, "what was read is written, or is too much for the format");
    for (int kind = 0; kind < KIND_COUNT; kind++)
        free(w.rows[kind]);
}

/* The value that is asked for, or the next one that the file has. */
static const struct series *series_of(struct profile *profile, unsigned wanted)
{
    const struct series *first = series_next_in(NULL, profile), *each = first;
    while (each && each->rank <= wanted)
        each = series_next_in(each, profile);
    return each ? each : first;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < HEAD)
        return 0;
    struct profile *profile = read_file(bytes + HEAD, len - HEAD);
    const struct series *series = series_of(profile, bytes[0] % KIND_COUNT);

    for (const struct format *const *f = format_all; *f && series; f++) {
        struct sink sink;
        struct writer_out out = {
            .writer = (*f)->writer, .profile = profile, .sink = &sink, .has_dots = bytes[1] & 1};
        if (!out.writer)
            continue;
        out.kinds = out.writer->kinds;
        out.kind = series->kind;
        out.value = series->value;
        if (!out.kinds)
            out.kinds = 1u << series->kind;
        must(sink_init(&sink, -1) == 0, "memory");
        if (out.kinds >> series->kind & 1)
            write_file(&out);
        must(sink_done(&sink) == 0, "a sink without a file takes everything");
    }
    profile_free(profile);
    return 0;
}
