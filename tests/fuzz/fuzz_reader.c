/*
 * fuzz_reader.c - see fuzz_reader.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include "base/sink.h"
#include "format/format.h"
#include "format/hprof_out.h"

static void must(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static void write_all(struct profile *p, const struct hprof_out_ops *ops)
{
    static const struct hprof_out_config config = {.print_lines = 1, .print_threads = 1};
    struct sink s;
    struct hprof_out o;
    must(sink_init(&s, -1) == 0, "memory");
    hprof_out_init(&o, ops, &s, p, &config);
    ops->begin(&o);
    for (thread_id t = 1; t <= profile_thread_count(p); t++)
        ops->start_thread(&o, t);
    ops->cpu_samples(&o);
    ops->quality(&o);
    must(sink_done(&s) == 0, "a model that was read can be written");
}

/* The marks in a model belong to one writer, so each writer gets a reading of its own. */
static void read_and_write(const struct format *f, const uint8_t *bytes, size_t len,
                           const struct hprof_out_ops *ops)
{
    struct format_error error = {0};
    /* Small, so that the end of the budget is met too. */
    struct profile *p = profile_new(1 << 20);
    must(p != NULL, "memory");
    int probed = f->probe(bytes, len);
    int code = f->read(bytes, len, p, &error);
    must(probed >= 0 && probed <= 2, "a probe is 0, 1 or 2");
    must(code <= 0, "a reader returns 0 or a negative code");
    must(code == error.code, "the code is in the error too");
    must(error.offset <= len, "the error's offset lies in the file");
    must(probed > 0 || code < 0, "what does not probe is not read");
    write_all(p, ops);
    profile_free(p);
}

void fuzz_reader(const char *name, const uint8_t *bytes, size_t len)
{
    const struct format *f = format_named(name);
    read_and_write(f, bytes, len, &hprof_text_out);
    read_and_write(f, bytes, len, &hprof_bin_out);
}
