/* format_left_out.c - bounded pictures. SPDX-License-Identifier: Apache-2.0 */
#include "format/left_out.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "cmocka_all.h"
#include "format/format.h"
#include "profile/profile.h"

enum { STACKS = 3000, DEPTH = 20, VALUE = 7 };

struct text {
    char *bytes;
    size_t len;
};

static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct text *t = to;
    char *all = realloc(t->bytes, t->len + len + 1);
    assert_non_null(all);
    memcpy(all + t->len, bytes, len);
    t->bytes = all;
    t->len += len;
    all[t->len] = '\0';
    return 0;
}

static frame_id a_frame(struct profile *p, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof(name), "m%u", number);
    return profile_frame(p,
                         profile_method(p, profile_class_named(p, profile_cstring(p, "a.B")),
                                        profile_cstring(p, name), 0, 0),
                         -1, PROFILE_LINE_NONE);
}

/* Stack i has the digits of i for its frames. */
static trace_id a_trace(struct profile *p, uint32_t i)
{
    frame_id frames[DEPTH];
    for (uint32_t at = 0; at < DEPTH; at++)
        frames[at] = a_frame(p, at * 2 + (i >> at % 12 & 1));
    return profile_trace(p, 0, frames, DEPTH);
}

/* No string more has room. */
static void fill(struct profile *p)
{
    static const size_t lengths[] = {1000, 100, 10, 4};
    char text[1000] = {0};
    for (size_t at = 0; at < sizeof(lengths) / sizeof(*lengths); at++)
        for (uint32_t i = 0; profile_string(p, text, lengths[at]); i++)
            memcpy(text, &i, sizeof(i));
}

/* Returns the file: free() it. *ret is as the format left it. */
static char *written(const char *format_name, size_t room_bytes, bool is_full,
                     struct writer_out *ret)
{
    const struct format *format = format_named(format_name);
    struct profile *p = profile_new(8 << 20);
    struct text text = {0};
    struct sink sink;
    assert_int_equal(sink_init_taker(&sink, take, &text), 0);
    *ret = (struct writer_out){.writer = format->writer,
                               .profile = p,
                               .sink = &sink,
                               .kind = KIND_SAMPLE,
                               .kinds = 1u << KIND_SAMPLE,
                               .room.bytes = room_bytes};
    for (uint32_t i = 0; i < STACKS; i++)
        assert_true(a_trace(p, i) > 0);
    if (is_full)
        fill(p);
    assert_int_equal(writer_begin(ret), 0);
    for (uint32_t i = 0; i < STACKS; i++) {
        const struct event event = {.kind = KIND_SAMPLE, .trace = a_trace(p, i), .value = {VALUE}};
        ret->row++;
        assert_int_equal(writer_event(ret, &event), 0);
    }
    assert_int_equal(writer_end(ret), 0);
    assert_int_equal(sink_done(&sink), 0);
    profile_free(p);
    return text.bytes;
}

static void collapsed_stacks_that_find_no_room_are_one_line(void **state)
{
    (void)state;
    struct writer_out o;
    char *text = written("collapsed", 128 << 10, false, &o);
    uint64_t sum = 0, left_out = 0, lines = 0;

    assert_true(o.room.left_out[0] > 0 && o.room.left_out[0] < (uint64_t)STACKS * VALUE);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        uint64_t value = strtoull(strrchr(line, ' '), NULL, 10);
        sum += value;
        lines++;
        if (strncmp(line, left_out_name, strlen(left_out_name)) == 0)
            left_out += value;
    }
    assert_int_equal(sum, STACKS * VALUE);
    assert_int_equal(left_out, o.room.left_out[0]);
    assert_int_equal(lines, STACKS - left_out / VALUE + 1);
    free(text);
}

static void a_flame_graph_says_what_found_no_room(void **state)
{
    (void)state;
    struct writer_out o;
    char *text = written("flamegraph", 256 << 10, false, &o);

    assert_true(o.room.left_out[0] > 0 && o.room.left_out[0] < (uint64_t)STACKS * VALUE);
    assert_non_null(strstr(text, left_out_name));
    assert_non_null(strstr(text, "a.B.m0"));
    assert_non_null(strstr(text, "</html>"));
    free(text);
}

static void without_a_bound_nothing_is_left_out(void **state)
{
    (void)state;
    static const char *const formats[] = {"collapsed", "flamegraph"};
    struct writer_out o;

    for (int i = 0; i < 2; i++) {
        char *text = written(formats[i], 0, false, &o);
        assert_int_equal(o.room.left_out[0], 0);
        assert_null(strstr(text, left_out_name));
        free(text);
    }
}

static void names_need_no_room_of_the_model(void **state)
{
    (void)state;
    struct writer_out o;
    char *text = written("flamegraph", 16 << 20, true, &o);

    assert_int_equal(o.room.left_out[0], 0);
    assert_non_null(strstr(text, "a.B.m0"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collapsed_stacks_that_find_no_room_are_one_line),
        cmocka_unit_test(a_flame_graph_says_what_found_no_room),
        cmocka_unit_test(without_a_bound_nothing_is_left_out),
        cmocka_unit_test(names_need_no_room_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
