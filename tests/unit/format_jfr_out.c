/* format_jfr_out.c - JFR recordings as they are written. SPDX-License-Identifier: Apache-2.0 */
#include "format/jfr_out.h"
#include "format/jfr_put.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"
#include "jfrchunk.h"
#include "profile/profile.h"
#include "safe/clock.h"

enum { MEMORY = 16 << 20 };

#define SECOND (uint64_t) NS_PER_S
#define START 1000000 * SECOND

/* A target in memory, and the model that is written. */
struct memory {
    unsigned char *bytes;
    size_t at, used;            /* where the next bytes go; the file's length */
    int error;                  /* of all that is appended */
    bool has_facts, is_watched; /* at each step all must be whole */
    struct memory_reader {
        size_t at, end; /* of the last chunk, as its header had it */
    } reader;           /* who opened the file a flush ago */
    uint32_t steps;
    uint32_t refuses, asked; /* one replacement of so many, 0 none; how many were asked for */
    struct profile *profile;
    struct jfr_out_time now;
};

/* The chunks fill the file. Returns the last one. */
static struct memory_reader read_all(const struct memory *m)
{
    struct memory_reader last = {0};
    for (size_t at = 0; at < m->used; at = last.end) {
        struct jfrchunk c = jfrchunk_read(m->bytes + at, m->used - at);
        last = (struct memory_reader){at, at + c.size};
    }
    assert_int_equal(last.end, m->used);
    return last;
}

/* A step is done: who opens the file now reads it to its end, and so does who has read the last
 * chunk's header before. */
static void watch(struct memory *m)
{
    size_t at = m->reader.at + 68;
    if (!m->is_watched || m->used == 0)
        return;
    m->steps++;
    read_all(m);
    if (m->reader.end == 0 || m->refuses > 0) /* what waits long is not for who waits long */
        return;
    while (at < m->reader.end) {
        uint64_t size;
        jfrchunk_leb(m->bytes, at, &size);
        assert_true(size > 1 && size <= m->used - at);
        at += size;
    }
    if (m->reader.end < m->used)
        jfrchunk_read(m->bytes + m->reader.end, m->used - m->reader.end);
}

static int append(void *to, const void *bytes, size_t len)
{
    struct memory *m = to;
    if (m->error)
        return m->error;
    assert_true(len <= MEMORY - m->at);
    memcpy(m->bytes + m->at, bytes, len);
    m->at += len;
    if (m->at > m->used)
        m->used = m->at;
    watch(m);
    return 0;
}

static int replace(void *to, uint64_t offset, const void *bytes, size_t len)
{
    struct memory *m = to;
    if (m->refuses > 0 && ++m->asked % m->refuses == 0)
        return -EAGAIN;
    assert_true(offset + len <= m->used);
    memcpy(m->bytes + offset, bytes, len);
    watch(m);
    return 0;
}

static int start(void *to, uint64_t offset, const void *bytes, size_t len, uint64_t length)
{
    struct memory *m = to;
    if (m->error)
        return m->error;
    assert_true(length <= MEMORY && len <= length - offset && offset <= m->used);
    if (length > m->used)
        memset(m->bytes + m->used, 0, length - m->used);
    memcpy(m->bytes + offset, bytes, len);
    m->at = length > m->used ? offset + len : length;
    m->used = length;
    watch(m);
    return 0;
}

static int resize(void *to, uint64_t length)
{
    struct memory *m = to;
    assert_true(length <= MEMORY);
    if (length > m->used)
        memset(m->bytes + m->used, 0, length - m->used);
    m->used = length;
    watch(m);
    return 0;
}

static void put_fact(void *to, struct jfr_out *o, const struct jfr_out_time *now)
{
    const union jfr_schema_value values[] = {
        {.number = now->monotonic_ns}, {.text = "os.name"}, {.text = "Linux"}};
    if (((struct memory *)to)->has_facts)
        jfr_out_put(o, JFR_SCHEMA_TYPE_INITIAL_SYSTEM_PROPERTY, values);
}

static void begin(struct memory *m, struct jfr_out *o, bool is_stream)
{
    struct jfr_out_config config = {
        .target = {append, is_stream ? NULL : replace, start, resize, put_fact, m},
        .chunk_bytes = 1 << 20,
        .chunk_ns = 3600 * SECOND,
        .interval_ns = 1000000,
        .samples_as = JFR_OUT_EXECUTION_SAMPLES,
        .marks_bytes = 4 << 20,
    };
    *m = (struct memory){.bytes = malloc(MEMORY),
                         .profile = profile_new(16 << 20),
                         .now = {START, 1700000000 * SECOND, 3600000}};
    config.profile = m->profile;
    assert_int_equal(jfr_out_open(o, &config, &m->now), 0);
}

static void done(struct memory *m, struct jfr_out *o)
{
    jfr_out_close(o);
    profile_free(m->profile);
    free(m->bytes);
}

static int pass(struct memory *m, struct jfr_out *o, uint64_t ns, bool is_end)
{
    m->now.monotonic_ns += ns;
    m->now.wall_ns += ns;
    int error = jfr_out_flush(o, &m->now, is_end);
    return error ? error : jfr_out_show(o) == -EAGAIN ? 0 : o->error;
}

/* main -> method number `n` of its class. */
static trace_id stack(struct memory *m, uint32_t n)
{
    struct profile *p = m->profile;
    class_id klass = profile_class_named(p, profile_cstring(p, "com.example.Work"));
    string_id nothing = profile_cstring(p, "()V");
    char name[32];
    frame_id frames[2];
    snprintf(name, sizeof(name), "step%u", n);
    frames[0] = profile_frame_of(
        p, FRAME_C2, profile_method(p, klass, profile_cstring(p, name), nothing, 0), 7, 42);
    frames[1] =
        profile_frame_of(p, FRAME_INTERPRETED,
                         profile_method(p, klass, profile_cstring(p, "main"), nothing, 0), 1, 10);
    return profile_trace(p, 0, frames, 2);
}

static thread_id thread(struct memory *m)
{
    struct profile *p = m->profile;
    thread_id id = profile_add_thread(p, 200001, 1, profile_cstring(p, "main"),
                                      profile_cstring(p, "main"), profile_cstring(p, "system"));
    profile_thread_at(p, id)->os_id = 4711;
    profile_thread_at(p, id)->java_id = 1;
    return id;
}

static void sample(struct memory *m, struct jfr_out *o, trace_id trace, thread_id id, uint32_t n)
{
    jfr_put_event(o, &(struct event){.kind = KIND_SAMPLE,
                                     .trace = trace,
                                     .thread = id,
                                     .time_ns = m->now.monotonic_ns,
                                     .value = {n}});
}

static uint32_t samples_of(const struct jfrchunk *c)
{
    return c->events[jfr_schema_id(JFR_SCHEMA_TYPE_EXECUTION_SAMPLE)];
}

/* Where somebody wants to look at it with other tools. */
static void keep(const struct memory *m, const char *name)
{
    const char *folder = getenv("JFR_OUT_KEEP");
    char path[512];
    FILE *f;
    if (!folder)
        return;
    snprintf(path, sizeof(path), "%s/%s.jfr", folder, name);
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(m->bytes, 1, m->used, f), m->used);
    fclose(f);
}

static void a_file_is_a_whole_chunk_after_each_flush(void **state)
{
    struct memory m;
    struct jfr_out o;
    struct jfrchunk c;
    thread_id id;
    begin(&m, &o, false);
    id = thread(&m);
    for (uint32_t i = 1; i <= 5; i++) {
        sample(&m, &o, stack(&m, i), id, 1);
        assert_int_equal(pass(&m, &o, SECOND, false), 0);
        c = jfrchunk_read(m.bytes, m.used);
        assert_int_equal(c.size, m.used);
        assert_int_equal(samples_of(&c), i);
        assert_int_equal(c.checkpoints, i);
        assert_int_equal(c.duration_ns, i * SECOND);
        assert_int_equal(c.flags, 1);
    }
    pass(&m, &o, SECOND, true);
    assert_int_equal(jfrchunk_read(m.bytes, m.used).flags, 3);
    assert_int_equal(o.written, 5);
    keep(&m, "chunk");
    done(&m, &o);
}

/* An event may come between the last dump and the end. */
static void a_file_that_ends_with_news_says_that_it_is_the_last(void **state)
{
    struct memory m;
    struct jfr_out o;
    thread_id id;
    begin(&m, &o, false);
    id = thread(&m);
    for (uint32_t i = 1; i <= 3; i++) {
        sample(&m, &o, stack(&m, i), id, 1);
        pass(&m, &o, SECOND, i == 3);
    }
    struct jfrchunk c = jfrchunk_read(m.bytes, m.used);
    assert_int_equal(c.flags, 3);
    assert_int_equal(c.size, m.used);
    assert_int_equal(samples_of(&c), 3);
    done(&m, &o);
}

static void a_flush_without_news_adds_nothing(void **state)
{
    struct memory m;
    struct jfr_out o;
    size_t at, used;
    begin(&m, &o, false);
    sample(&m, &o, stack(&m, 1), 0, 1);
    pass(&m, &o, SECOND, false);
    at = m.at;
    used = m.used;
    pass(&m, &o, SECOND, false);
    assert_int_equal(m.at, at);
    assert_int_equal(m.used, used);
    assert_int_equal(jfrchunk_read(m.bytes, m.used).duration_ns, 2 * SECOND);
    done(&m, &o);
}

static void constants_are_written_once_in_a_chunk(void **state)
{
    struct memory m;
    struct jfr_out o;
    size_t first;
    begin(&m, &o, false);
    sample(&m, &o, stack(&m, 1), thread(&m), 1);
    pass(&m, &o, SECOND, false);
    assert_true(jfrchunk_has(m.bytes, m.used, "com/example/Work"));
    assert_true(jfrchunk_has(m.bytes, m.used, "com/example"));
    assert_true(jfrchunk_has(m.bytes, m.used, "system"));
    first = m.at;
    sample(&m, &o, stack(&m, 2), 1, 1);
    pass(&m, &o, SECOND, false);
    assert_true(jfrchunk_has(m.bytes + first, m.at - first, "step2"));
    assert_false(jfrchunk_has(m.bytes + first, m.at - first, "com/example/Work"));
    done(&m, &o);
}

static void a_sample_of_three_intervals_is_three_events(void **state)
{
    struct memory m;
    struct jfr_out o;
    struct jfrchunk c;
    begin(&m, &o, false);
    sample(&m, &o, stack(&m, 1), 0, 3);
    pass(&m, &o, SECOND, true);
    c = jfrchunk_read(m.bytes, m.used);
    assert_int_equal(samples_of(&c), 3);
    assert_int_equal(c.start_ticks, START - 2 * o.config.interval_ns);
    assert_int_equal(c.start_ns, 1700000000 * SECOND - 2 * o.config.interval_ns);
    done(&m, &o);
}

static void a_large_chunk_ends_and_the_next_has_its_own_constants(void **state)
{
    struct memory m;
    struct jfr_out o;
    struct jfrchunk c;
    size_t at = 0;
    uint32_t samples = 0, chunks = 0;
    uint64_t last = 0;
    begin(&m, &o, false);
    m.has_facts = true;
    for (uint32_t i = 0; i < 200000; i++) {
        sample(&m, &o, stack(&m, i % 100), 0, 1);
        if (i % 10000 == 0)
            pass(&m, &o, SECOND, false);
    }
    pass(&m, &o, SECOND, true);
    for (; at < m.used; at += c.size, chunks++) {
        c = jfrchunk_read(m.bytes + at, m.used - at);
        samples += samples_of(&c);
        assert_true(c.start_ns > last);
        assert_true(jfrchunk_has(m.bytes + at, c.size, "com/example/Work"));
        assert_int_equal(c.events[jfr_schema_id(JFR_SCHEMA_TYPE_INITIAL_SYSTEM_PROPERTY)],
                         chunks > 0);
        last = c.start_ns;
    }
    assert_int_equal(samples, 200000);
    assert_true(chunks > 2);
    keep(&m, "chunks");
    done(&m, &o);
}

static void a_stream_has_a_chunk_for_each_flush(void **state)
{
    struct memory m;
    struct jfr_out o;
    size_t at = 0;
    uint32_t chunks = 0, samples = 0;
    begin(&m, &o, true);
    for (int i = 0; i < 20; i++) {
        sample(&m, &o, stack(&m, 1), 0, 1);
        pass(&m, &o, SECOND, i == 19);
    }
    while (at < m.used) {
        struct jfrchunk c = jfrchunk_read(m.bytes + at, m.used - at);
        assert_true(jfrchunk_has(m.bytes + at, c.size, "com/example/Work"));
        samples += samples_of(&c);
        at += c.size;
        chunks++;
    }
    assert_int_equal(samples, 20);
    assert_int_equal(chunks, 4);
    keep(&m, "stream");
    done(&m, &o);
}

static void what_finds_no_room_waits_and_then_is_counted(void **state)
{
    struct memory m;
    struct jfr_out o;
    struct jfrchunk c;
    trace_id trace;
    begin(&m, &o, false);
    trace = stack(&m, 1);
    sample(&m, &o, trace, 0, 1);
    m.error = -EAGAIN;
    assert_int_equal(pass(&m, &o, SECOND, false), 0);
    assert_int_equal(m.used, 0);
    m.error = 0;
    pass(&m, &o, SECOND, false);
    c = jfrchunk_read(m.bytes, m.used);
    assert_int_equal(samples_of(&c), 1);
    m.error = -EAGAIN;
    for (int i = 0; i < 300000; i++)
        sample(&m, &o, trace, 0, 1);
    m.error = 0;
    assert_true(o.lost > 0);
    sample(&m, &o, stack(&m, 2), 0, 1);
    pass(&m, &o, SECOND, true);
    c = jfrchunk_read(m.bytes, m.used);
    assert_int_equal(samples_of(&c) + o.lost, 300002);
    assert_true(jfrchunk_has(m.bytes, m.used, "step2"));
    done(&m, &o);
}

static void after_an_error_everything_is_swallowed(void **state)
{
    struct memory m;
    struct jfr_out o;
    begin(&m, &o, false);
    m.error = -ENOSPC;
    sample(&m, &o, stack(&m, 1), 0, 1);
    assert_int_equal(pass(&m, &o, SECOND, false), -ENOSPC);
    m.error = 0;
    for (int i = 0; i < 300000; i++)
        sample(&m, &o, stack(&m, 1), 0, 1);
    assert_int_equal(pass(&m, &o, SECOND, true), -ENOSPC);
    assert_int_equal(m.used, 0);
    done(&m, &o);
}

static void names_are_as_the_vm_has_them(void **state)
{
    struct memory m;
    struct jfr_out o;
    static const char *const names[] = {"java.lang.String[]", "char[][]",
                                        "a.b.C$$Lambda.0x0000000123",
                                        "x.Sm\xed\xa0\xbd\xed\xb8\x80"};
    begin(&m, &o, false);
    for (int i = 0; i < 4; i++) {
        class_id klass = profile_class_named(m.profile, profile_cstring(m.profile, names[i]));
        jfr_put_total(
            &o, &(struct event){.kind = KIND_HISTO, .trace = 1, .klass = klass, .value = {8, 1}},
            m.now.monotonic_ns);
    }
    pass(&m, &o, SECOND, true);
    assert_true(jfrchunk_has(m.bytes, m.used, "[Ljava/lang/String;"));
    assert_true(jfrchunk_has(m.bytes, m.used, "[[C"));
    assert_true(jfrchunk_has(m.bytes, m.used, "x/Sm\xf0\x9f\x98\x80"));
    assert_true(jfrchunk_has(m.bytes, m.used, "a/b/C$$Lambda/0x0000000123"));
    assert_true(jfrchunk_has(m.bytes, m.used, "hprof.Histo"));
    keep(&m, "names");
    done(&m, &o);
}

static void long_texts_are_cut(void **state)
{
    struct memory m;
    struct jfr_out o;
    char text[20000];
    union jfr_schema_value values[3];
    begin(&m, &o, false);
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    values[0].number = START;
    values[1].text = "long";
    values[2].text = text;
    jfr_out_put(&o, JFR_SCHEMA_TYPE_INITIAL_SYSTEM_PROPERTY, values);
    pass(&m, &o, SECOND, true);
    assert_true(m.used < 40000);
    assert_int_equal(jfrchunk_read(m.bytes, m.used)
                         .events[jfr_schema_id(JFR_SCHEMA_TYPE_INITIAL_SYSTEM_PROPERTY)],
                     1);
    done(&m, &o);
}

/* Six seconds of ten stacks each; `new_stacks` makes each flush large. */
static void record(struct memory *m, struct jfr_out *o, uint32_t new_stacks)
{
    static uint32_t number;
    for (uint32_t second = 0; second < 6; second++) {
        for (uint32_t i = 0; i < 10 + new_stacks; i++)
            sample(m, o, stack(m, new_stacks ? number++ : i), 0, 1);
        if (m->used > 0)
            m->reader = read_all(m);
        assert_int_equal(pass(m, o, SECOND, false), 0);
    }
}

static uint32_t all_samples(const struct memory *m)
{
    uint32_t samples = 0;
    struct jfrchunk c;
    for (size_t at = 0; at < m->used; at += c.size) {
        c = jfrchunk_read(m->bytes + at, m->used - at);
        samples += samples_of(&c);
    }
    return samples;
}

static void a_file_is_whole_at_each_step(void **state)
{
    struct memory m;
    struct jfr_out o;
    uint64_t length;
    begin(&m, &o, false);
    m.is_watched = m.has_facts = true;
    record(&m, &o, 0);
    length = m.used;
    assert_true(length >= 1 << 20);
    m.now.monotonic_ns += 3600 * SECOND; /* the chunk is old: the next one is in its filler */
    m.now.wall_ns += 3600 * SECOND;
    record(&m, &o, 0);
    assert_int_equal(m.used, length);
    assert_true(read_all(&m).at > 0 && read_all(&m).at < length / 2);
    record(&m, &o, 3000); /* chunks that are full */
    assert_true(m.used > length);
    assert_true(m.steps > 40);
    assert_int_equal(all_samples(&m), 12 * 10 + 6 * 3010);
    m.reader.end = 0; /* who reads when it ends may find it shorter */
    assert_int_equal(pass(&m, &o, SECOND, true), 0);
    assert_int_equal(m.used, m.at);
    read_all(&m);
    assert_int_equal(all_samples(&m), 12 * 10 + 6 * 3010);
    keep(&m, "steps");
    done(&m, &o);
}

/* What is said of the file finds no room now and then: all is said with a later flush. */
static void a_file_is_whole_where_little_can_be_replaced(void **state)
{
    struct memory m;
    struct jfr_out o;
    begin(&m, &o, false);
    m.is_watched = m.has_facts = true;
    for (uint32_t i = 0; i < 4; i++) {
        m.refuses = 3;
        record(&m, &o, i % 2 * 200);
        m.now.monotonic_ns += 3600 * SECOND;
        m.now.wall_ns += 3600 * SECOND;
    }
    m.refuses = 0;
    pass(&m, &o, SECOND, false);
    assert_int_equal(all_samples(&m), 2 * 60 + 2 * 6 * 210);
    m.reader.end = 0; /* who reads when it ends may find it shorter */
    pass(&m, &o, SECOND, true);
    assert_int_equal(m.used, m.at);
    assert_int_equal(all_samples(&m) + o.lost, 2 * 60 + 2 * 6 * 210);
    assert_int_equal(o.lost, 0);
    done(&m, &o);
}

/* A flush that is larger than what is left of the file. */
static void a_file_gets_longer_where_much_comes_at_once(void **state)
{
    struct memory m;
    struct jfr_out o;
    begin(&m, &o, false);
    sample(&m, &o, stack(&m, 0), 0, 1);
    pass(&m, &o, SECOND, false);
    for (uint32_t i = 0; i < 100000; i++)
        sample(&m, &o, stack(&m, i % 20000), 0, 1);
    assert_int_equal(pass(&m, &o, SECOND, false), 0);
    read_all(&m);
    assert_int_equal(all_samples(&m), 100001);
    pass(&m, &o, SECOND, true);
    read_all(&m);
    assert_int_equal(m.used, m.at);
    done(&m, &o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_a_whole_chunk_after_each_flush),
        cmocka_unit_test(a_file_is_whole_at_each_step),
        cmocka_unit_test(a_file_is_whole_where_little_can_be_replaced),
        cmocka_unit_test(a_file_gets_longer_where_much_comes_at_once),
        cmocka_unit_test(a_file_that_ends_with_news_says_that_it_is_the_last),
        cmocka_unit_test(a_flush_without_news_adds_nothing),
        cmocka_unit_test(constants_are_written_once_in_a_chunk),
        cmocka_unit_test(a_sample_of_three_intervals_is_three_events),
        cmocka_unit_test(a_large_chunk_ends_and_the_next_has_its_own_constants),
        cmocka_unit_test(a_stream_has_a_chunk_for_each_flush),
        cmocka_unit_test(what_finds_no_room_waits_and_then_is_counted),
        cmocka_unit_test(after_an_error_everything_is_swallowed),
        cmocka_unit_test(names_are_as_the_vm_has_them),
        cmocka_unit_test(long_texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
