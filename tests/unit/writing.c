/*
 * writing.c - see writing.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writing.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "profile/sums.h"

static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct writing *w = to;
    w->bytes = realloc(w->bytes, w->len + len + 1);
    assert_non_null(w->bytes);
    memcpy(w->bytes + w->len, bytes, len);
    w->len += len;
    w->bytes[w->len] = '\0';
    return 0;
}

struct writing writing_of(const char *format, struct profile *p, uint32_t kinds, enum kind_id kind,
                          uint32_t value)
{
    const struct format *f = format_named(format);
    struct writing w = {0};
    struct sink sink;
    assert_non_null(f);
    struct writer_out o = {.writer = f->writer,
                           .profile = p,
                           .sink = &sink,
                           .kind = kind,
                           .value = value,
                           .kinds = kinds};
    assert_int_equal(sink_init_taker(&sink, take, &w), 0);
    assert_int_equal(writer_begin(&o), 0);
    for (int each = 0; each < KIND_COUNT; each++) {
        const struct sums *sums = profile_sums(p, each);
        for (uint32_t i = 1; i <= sums->rows.count && kinds >> each & 1; i++) {
            const struct sum *s = sums_at(sums, i);
            struct event event = {
                .kind = each, .trace = s->trace, .klass = s->klass, .text = s->text};
            memcpy(event.value, s->value, kind_value_count(each) * sizeof(*s->value));
            assert_int_equal(writer_event(&o, &event), 0);
        }
    }
    assert_int_equal(writer_end(&o), 0);
    assert_int_equal(sink_done(&sink), 0);
    return w;
}

static frame_id a_frame(struct profile *p, enum frame_kind kind, const char *klass,
                        const char *name, int32_t line)
{
    class_id c = klass ? profile_class_named(p, profile_cstring(p, klass)) : 0;
    bool is_java = frame_kind_is_java(kind);
    method_id m =
        profile_method(p, c, profile_cstring(p, name), is_java ? profile_cstring(p, "()V") : 0,
                       is_java ? profile_cstring(p, "Server.java") : 0);
    return profile_frame_of(p, kind, m, -1, line);
}

struct profile *writing_example(void)
{
    struct profile *p = profile_new(8 << 20);
    assert_non_null(p);
    const frame_id run = a_frame(p, FRAME_INTERPRETED, "java.lang.Thread", "run", 745),
                   serve = a_frame(p, FRAME_C2, "app.Server", "serve", 12),
                   parse = a_frame(p, FRAME_INLINED, "app.Server", "parse", 30),
                   parsed = a_frame(p, FRAME_C1, "app.Server", "parse", 31),
                   made = a_frame(p, FRAME_JAVA, "app.Server$1", "<init>", PROFILE_LINE_NONE),
                   read = a_frame(p, FRAME_NATIVE, "libc.so.6", "read", PROFILE_LINE_NONE),
                   kernel = a_frame(p, FRAME_KERNEL, NULL, "vfs_read_[k]", PROFILE_LINE_NONE);
    const frame_id hot[] = {kernel, read, parse, parse, serve, run}, cold[] = {parsed, serve, run},
                   plain[] = {made};
    thread_id worker = profile_add_thread(p, 7, 0, profile_cstring(p, "worker \"1\""), 0, 0);
    const trace_id traces[] = {profile_trace(p, worker, hot, 6), profile_trace(p, worker, cold, 3),
                               profile_trace(p, 0, plain, 1), 1};
    uint64_t number = 1;

    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++) {
            bool is_of_class = kind == KIND_SITE || kind == KIND_HISTO || kind == KIND_LIVE_HISTO ||
                               kind == KIND_EXCEPTION;
            struct event event = {.kind = kind, .trace = traces[i]};
            if (is_of_class)
                event.klass = profile_class_named(p, profile_cstring(p, "byte[]"));
            else if (kind == KIND_ENTER || kind == KIND_GC)
                event.text =
                    profile_cstring(p, "a\xed\xa0\xbd\xed\xb8\x80<b>\n"); /* U+1F600 of a VM */
            for (uint32_t v = 0; v < kind_value_count(kind); v++)
                event.value[v] = number++;
            assert_int_equal(profile_count(p, &event), 0);
        }
    profile_set_program(p, profile_cstring(p, "app.Main"));
    return p;
}
