/*
 * fuzz_reader.c - see fuzz_reader.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include "base/feed.h"
#include "base/sink.h"
#include "format/format.h"
#include "format/hprof_out.h"
#include "format/hprof_file.h"
#include "profile/profile.h"
#include "profile/sieve.h"
#include "profile/sums.h"

static void must(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static void write_all(struct profile *p, const struct writer *writer)
{
    static const struct hprof_out_config config = {.print_lines = 1, .print_threads = 1};
    struct sink s;
    struct writer_out o = {.writer = writer, .sink = &s, .profile = p};
    const struct writer_sums samples = {.kind = KIND_SAMPLE};
    must(sink_init(&s, -1) == 0, "memory");
    must(hprof_out_new(&o) == 0, "memory");
    hprof_out_set_up(&o, &config);
    writer_begin(&o);
    for (thread_id t = 1; t <= profile_thread_count(p); t++)
        writer_thread(&o, t, true);
    must(writer_sums(&o, &samples) == 0, "memory");
    writer_quality(&o);
    must(sink_done(&s) == 0, "a model that was read can be written");
    writer_end(&o);
}

/* What the command looks up without asking. */
static void check_found(struct profile *p)
{
    const struct hprof_file *f = hprof_file_of(p);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        const struct sums *sums = profile_sums(p, kind);
        for (uint32_t i = 1; i <= sums->rows.count; i++) {
            const struct sum *s = sums_at(sums, i);
            must(s->trace > 0 && s->trace <= profile_trace_count(p), "a sum has a trace");
            must(s->klass <= profile_class_count(p), "a sum's class is one of the model");
            must(s->text <= profile_string_count(p), "a sum's text is one of the model");
            must((kind != KIND_SITE && kind != KIND_HISTO && kind != KIND_LIVE_HISTO) ||
                     s->klass > 0,
                 "objects have a class");
        }
    }
    for (uint32_t i = 1; i <= f->threads.count; i++) {
        const struct hprof_file_thread *t = table_at(&f->threads, i);
        must(t->thread <= profile_thread_count(p) && t->trace <= profile_trace_count(p),
             "a thread of a dump is one of the model");
    }
    uint32_t monitor = 1;
    for (uint32_t i = 1; i <= f->waits.count; i++) {
        const struct hprof_file_waiter *w = table_at(&f->waits, i);
        must(w->thread <= profile_thread_count(p), "who waits is a thread of the model");
        must(w->monitor >= monitor && w->monitor <= f->monitors.count,
             "waiters come in the order of their monitors");
        monitor = w->monitor;
    }
    for (uint32_t i = 1; i <= f->monitors.count; i++) {
        const struct hprof_file_monitor *m = table_at(&f->monitors, i);
        must(m->owner <= profile_thread_count(p), "an owner is a thread of the model");
    }
}

/* One reading with the sieve, into a model of its own. */
static void read_sieved(const struct format *f, struct sieve *s, const uint8_t *bytes, size_t len)
{
    struct feed feed;
    struct reader_in in = {.feed = &feed, .profile = profile_new(1 << 20), .sieve = s};
    int code;
    must(in.profile != NULL, "memory");
    feed_memory(&feed, bytes, len);
    if (!sieve_is_counting(s))
        sieve_begin(s, in.profile);
    code = f->reader->open(&in);
    while (code >= 0 && (code = f->reader->next(&in)) > 0)
        ;
    f->reader->close(&in);
    check_found(in.profile);
    profile_free(in.profile);
}

/* As the command does where there is no room for all stacks. */
static void check_sieved(const struct format *f, const uint8_t *bytes, size_t len)
{
    struct sieve *s = sieve_new(1 << 16);
    must(s != NULL, "memory");
    read_sieved(f, s, bytes, len);
    must(sieve_keep(s, 2) <= 2, "no more stacks pass than were asked for");
    read_sieved(f, s, bytes, len);
    sieve_free(s);
}

void fuzz_reader(const char *name, const uint8_t *bytes, size_t len)
{
    const struct format *f = format_named(name);
    struct reader_error error = {0};
    /* Small, so that the end of the budget is met too. */
    struct profile *p = profile_new(1 << 20);
    must(p != NULL, "memory");
    int probed = f->reader->probe(bytes, len);
    int code = format_read(f, bytes, len, p, &error);
    must(probed >= 0 && probed <= 2, "a probe is 0, 1 or 2");
    must(code <= 0, "a reader returns 0 or a negative code");
    must(code == error.code, "the code is in the error too");
    must(error.offset <= len, "the error's offset lies in the file");
    must(probed > 0 || code < 0, "what does not probe is not read");
    check_found(p);
    write_all(p, &hprof_text_out);
    write_all(p, &hprof_bin_out);
    profile_free(p);
    if (reader_can(f->reader, READER_SIEVED))
        check_sieved(f, bytes, len);
}
