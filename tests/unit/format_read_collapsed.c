/* format_read_collapsed.c - collapsed stacks, read and written. SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "profile/profile.h"
#include "samples.h"

static struct profile *read_text(const char *text, int code, uint64_t line)
{
    struct profile *p = profile_new(1 << 20);
    struct reader_error error = {0};
    assert_non_null(p);
    assert_int_equal(format_read(format_named("collapsed"), text, strlen(text), p, &error), code);
    assert_int_equal(error.line, line);
    return p;
}

struct text {
    char bytes[4096];
    size_t len;
};

static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct text *t = to;
    assert_true(t->len + len < sizeof(t->bytes));
    memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
    t->bytes[t->len] = '\0';
    return 0;
}

/* All sums of a kind, in their order. */
static void write_all(struct profile *p, enum kind_id kind, uint32_t value, bool with_tiers,
                      struct text *t)
{
    const struct format *format = format_named("collapsed");
    const struct sums *sums = profile_sums(p, kind);
    struct sink sink;
    *t = (struct text){.len = 0};
    assert_int_equal(sink_init_taker(&sink, take, t), 0);
    struct writer_out o = {.writer = format->writer,
                           .profile = p,
                           .sink = &sink,
                           .with_tiers = with_tiers,
                           .kind = kind,
                           .value = value};
    assert_int_equal(writer_begin(&o), 0);
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        const struct sum *s = sums_at(sums, i);
        struct event event = {.kind = kind, .trace = s->trace, .klass = s->klass, .text = s->text};
        memcpy(event.value, s->value, kind_value_count(kind) * sizeof(*s->value));
        assert_int_equal(writer_event(&o, &event), 0);
    }
    assert_int_equal(writer_end(&o), 0);
    assert_int_equal(sink_done(&sink), 0);
}

static void what_was_read_is_written_the_same(void **state)
{
    (void)state;
    static const char text[] =
        "java/lang/Thread.run_[0];a/b/C$D.<init>_[1];a/b/C.m_[j];a/b/C.in lined_[i] 12\n"
        "[main tid=4711];start_thread;JavaMain;Main.main 3\n"
        "[a;b tid=7];x;y;z 1\n"
        "std::vector<int, Alloc>::push;malloc;entry_SYSCALL_64_[k] 18446744073709551000\n"
        "libc.so.6+0x85e50;libjvm.so 1\n"
        "k/L$$Lambda/0x00007fb4e43fc4e8.apply 5\n"
        "[no stack] 9\n";
    struct text t;
    struct profile *p = read_text(text, 0, 0);
    write_all(p, KIND_SAMPLE, 0, true, &t);
    assert_string_equal(t.bytes, text);
    profile_free(p);
}

static void a_method_is_one_frame_however_it_ran(void **state)
{
    (void)state;
    struct text t;
    struct profile *p = read_text("a.A.m_[0];a.A.n_[i] 1\na.A.m_[1];a.A.n_[j] 20\n"
                                  "a.A.m;a.A.n_[1] 300\n[t tid=7];a.A.m_[j];read;read_[k] 4\n",
                                  0, 0);
    write_all(p, KIND_SAMPLE, 0, false, &t);
    assert_string_equal(t.bytes, "a/A.m;a/A.n 321\n[t tid=7];a/A.m;read;read_[k] 4\n");
    profile_free(p);
}

static void frames_have_their_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *frame, *klass, *name;
        enum frame_kind kind;
    } frames[] = {
        {"java/lang/String.length_[j]", "java.lang.String", "length", FRAME_C2},
        {"java.lang.String.length_[1]", "java.lang.String", "length", FRAME_C1},
        {"A.<clinit>_[0]", "A", "<clinit>", FRAME_INTERPRETED},
        {"a/B.c_[i]", "a.B", "c", FRAME_INLINED},
        {"a/B.c", "a.B", "c", FRAME_JAVA},
        {"a/B$$Lambda/0x12.c", "a.B$$Lambda/0x12", "c", FRAME_JAVA},
        {"do_syscall_64_[k]", NULL, "do_syscall_64_[k]", FRAME_KERNEL},
        {"Parker::park(bool, long)", NULL, "Parker::park(bool, long)", FRAME_NATIVE},
        {"foo(a.b)", NULL, "foo(a.b)", FRAME_NATIVE},
        {"libjvm.so", NULL, "libjvm.so", FRAME_NATIVE},
        {"libc.so.6", NULL, "libc.so.6", FRAME_NATIVE},
        {"[vdso]", NULL, "[vdso]", FRAME_NATIVE},
        {"read", NULL, "read", FRAME_NATIVE},
    };
    for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
        char line[128];
        snprintf(line, sizeof(line), "%s 1\n", frames[i].frame);
        struct profile *p = read_text(line, 0, 0);
        const struct profile_trace *t = profile_trace_at(p, profile_trace_count(p));
        assert_int_equal(t->depth, 1);
        const struct profile_frame *f = profile_frame_at(p, t->frames[0]);
        const struct profile_method *m = profile_method_at(p, f->method);
        if (f->kind != frames[i].kind)
            fail_msg("%s: kind %d", frames[i].frame, f->kind);
        assert_string_equal(profile_string_at(p, m->name)->bytes, frames[i].name);
        assert_int_equal(m->klass != 0, frames[i].klass != NULL);
        if (m->klass)
            assert_string_equal(profile_string_at(p, profile_class_at(p, m->klass)->name)->bytes,
                                frames[i].klass);
        profile_free(p);
    }
}

static void equal_stacks_add_up_and_lines_may_be_of_other_tools(void **state)
{
    (void)state;
    struct profile *p = read_text("a.b;c.d 1\r\n\n# a comment\n  a.b;c.d  41 \na.b 2", 0, 0);
    assert_int_equal(samples_all(p), 44);
    assert_int_equal(profile_sums(p, KIND_SAMPLE)->rows.count, 2);
    profile_free(p);
}

static void a_line_that_is_none_has_its_number(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t line;
    } files[] = {
        {"a;b\n", 0},
        {"a;b 1\na;b x\n", 2},
        {"a;b 1\na;b -1\n", 2},
        {"a;b 1\na;b 1.5\n", 2},
        {"a;b 18446744073709551616\n", 0},
        {"a;b 18446744073709551615\nc 1\n", 2},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        profile_free(read_text(files[i].text, E_FORMAT, files[i].line));
}

static void objects_end_in_their_class_and_monitors_in_their_name(void **state)
{
    (void)state;
    struct profile *p = profile_new(1 << 20);
    struct text t;
    class_id klass = profile_class_named(p, profile_cstring(p, "a.B"));
    frame_id frame =
        profile_frame(p, profile_method(p, klass, profile_cstring(p, "m"), 0, 0), -1, 7);
    trace_id trace = profile_trace(p, 0, &frame, 1);
    const struct event events[] = {
        {.kind = KIND_SITE, .trace = trace, .klass = klass, .value = {640, 20, 64, 2}},
        {.kind = KIND_SITE, .trace = 1, .klass = klass, .value = {32, 1, 0, 0}},
        {.kind = KIND_ENTER,
         .trace = trace,
         .text = profile_cstring(p, "x;y\nz"),
         .value = {1000, 3}},
    };
    for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
        assert_int_equal(profile_count(p, &events[i]), 0);
    write_all(p, KIND_SITE, 0, false, &t);
    assert_string_equal(t.bytes, "a/B.m;a/B 640\n[no stack];a/B 32\n");
    write_all(p, KIND_SITE, 2, true, &t);
    assert_string_equal(t.bytes, "a/B.m;a/B_[i] 64\n"); /* what is 0 has no line */
    write_all(p, KIND_ENTER, 1, false, &t);
    assert_string_equal(t.bytes, "a/B.m;x:y z 3\n");
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_read_is_written_the_same),
        cmocka_unit_test(a_method_is_one_frame_however_it_ran),
        cmocka_unit_test(frames_have_their_kinds),
        cmocka_unit_test(equal_stacks_add_up_and_lines_may_be_of_other_tools),
        cmocka_unit_test(a_line_that_is_none_has_its_number),
        cmocka_unit_test(objects_end_in_their_class_and_monitors_in_their_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
