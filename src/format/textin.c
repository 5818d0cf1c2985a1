/*
 * textin.c - see textin.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/textin.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "format/format.h"

void textin_begin(struct textin *t, struct profile *profile, const unsigned char *bytes, size_t len)
{
    const char *start = (const char *)bytes;

    *t = (struct textin){
        .profile = profile,
        .start = start,
        .rest = {start, start + len},
        .line = {start, start},
        .lost_before = profile_lost(profile),
    };
}

void textin_read_lines(struct textin *t, void (*read_line)(struct textin *t))
{
    while (textin_next(t)) {
        read_line(t);
        if (profile_lost(t->profile) != t->lost_before)
            textin_fail(t, E_LIMIT, "the memory for the profile is used up");
    }
}

int textin_end(struct textin *t, struct format_error *ret_error)
{
    free(t->stack);
    free(t->exact.ns);
    t->stack = NULL;
    t->exact = (struct textin_exact){0};
    if (t->code != 0)
        *ret_error = (struct format_error){t->code, (uint64_t)(t->line.at - t->start),
                                           t->line_number, t->detail};
    return t->code;
}

int textin_fail(struct textin *t, int code, const char *detail)
{
    if (t->code == 0) {
        t->code = code;
        t->detail = detail;
    }
    return 0;
}

int textin_next(struct textin *t)
{
    if (t->rest.at == t->rest.end || t->code != 0)
        return 0;
    t->line = t->rest;
    t->line_number++;
    const char *newline = memchr(t->line.at, '\n', (size_t)(t->line.end - t->line.at));
    if (!newline && !t->end_is_free)
        return textin_fail(t, E_TRUNCATED, "the last line is cut off");
    if (!newline)
        newline = t->line.end;
    t->rest.at = newline < t->rest.end ? newline + 1 : newline;
    t->line.end = newline;
    if (t->line.end > t->line.at && t->line.end[-1] == '\r')
        t->line.end--;
    return 1;
}

void textin_put_back(struct textin *t)
{
    t->rest.at = t->line.at;
    t->line_number--;
}

int textin_starts_with(struct textin_span s, const char *prefix)
{
    size_t len = strlen(prefix);
    return (size_t)(s.end - s.at) >= len && memcmp(s.at, prefix, len) == 0;
}

int textin_is(struct textin_span s, const char *text)
{
    return (size_t)(s.end - s.at) == strlen(text) && textin_starts_with(s, text);
}

int textin_take(struct textin_span *s, const char *prefix)
{
    if (!textin_starts_with(*s, prefix))
        return 0;
    s->at += strlen(prefix);
    return 1;
}

void textin_skip_blanks(struct textin_span *s)
{
    while (s->at < s->end && *s->at == ' ')
        s->at++;
}

void textin_skip_word(struct textin_span *s)
{
    while (s->at < s->end && *s->at != ' ')
        s->at++;
}

int textin_number(struct textin_span *s, unsigned base, uint64_t max, uint64_t *ret_value)
{
    uint64_t value = 0;
    int fits = 1;
    const char *start = s->at;
    for (; s->at < s->end; s->at++) {
        unsigned digit = (unsigned)(*s->at - '0');
        if (digit > 9 && base == 16 && *s->at >= 'a' && *s->at <= 'f')
            digit = (unsigned)(*s->at - 'a') + 10;
        if (digit >= base)
            break;
        fits &= value <= (max - digit) / base;
        value = fits ? value * base + digit : max;
    }
    *ret_value = value;
    return s->at > start && fits;
}

int textin_column(struct textin_span *s, uint64_t *ret_value)
{
    textin_skip_blanks(s);
    return textin_number(s, 10, UINT64_MAX, ret_value);
}

int textin_u4(struct textin_span *s, uint32_t *ret_value)
{
    uint64_t value;
    int ok = textin_number(s, 10, UINT32_MAX, &value);
    *ret_value = (uint32_t)value;
    return ok;
}

/* The original writes the point of the program's locale, and nan% where there is no total. */
void textin_percent(struct textin_span *s, uint32_t *ret_hundredths)
{
    enum { MAX = 1000000 };
    uint64_t whole = 0, part = 0;
    textin_skip_blanks(s);
    struct textin_span number = *s;
    textin_skip_word(s);
    number.end = s->at;
    textin_number(&number, 10, MAX, &whole);
    if (number.end - number.at >= 3 && number.at[0] != '%') {
        number.at++;
        number.end = number.at + 2;
        textin_number(&number, 10, MAX, &part);
    }
    *ret_hundredths = (uint32_t)(whole * 100 + part);
}

const char *textin_find_last(struct textin_span s, const char *text)
{
    size_t len = strlen(text);
    while ((size_t)(s.end - s.at) >= len) {
        const char *at = memrchr(s.at, text[0], (size_t)(s.end - s.at) - len + 1);
        if (!at)
            return NULL;
        if (memcmp(at, text, len) == 0)
            return at;
        s.end = at + len - 1;
    }
    return NULL;
}

string_id textin_string(struct textin *t, struct textin_span s)
{
    return s.at < s.end ? profile_string(t->profile, s.at, (size_t)(s.end - s.at)) : 0;
}

thread_id textin_thread(struct textin *t, uint32_t serial)
{
    if (serial == 0 || serial == PROFILE_THREAD_UNKNOWN)
        return 0;
    thread_id thread = profile_thread_by_serial(t->profile, serial);
    return thread ? thread : profile_add_thread(t->profile, serial, 0, 0, 0, 0);
}

method_id textin_method(struct textin *t, struct textin_span s, string_id descriptor,
                        string_id source)
{
    struct textin_span klass = {s.at, s.at};
    const char *dot = textin_find_last(s, ".");
    if (dot) {
        klass.end = dot;
        s.at = dot + 1;
    }
    string_id class_name = textin_string(t, klass);
    string_id name = textin_is(s, "<Unknown Method>") ? 0 : textin_string(t, s);
    return profile_method(t->profile, class_name ? profile_class_named(t->profile, class_name) : 0,
                          name, descriptor, source);
}

trace_id textin_trace(struct textin *t, uint32_t serial, struct textin_span method)
{
    trace_id trace = profile_trace_by_serial(t->profile, serial);
    if (trace != 0)
        return trace;
    frame_id frame = 0;
    if (method.at < method.end && !textin_is(method, "<empty trace>")) {
        method_id id = textin_method(t, method, 0, 0);
        frame = id ? profile_frame(t->profile, id, -1, PROFILE_LINE_NONE) : 0;
    }
    return profile_add_trace(t->profile, serial, 0, &frame, frame != 0);
}

int textin_push(struct textin *t, uint32_t depth, frame_id frame)
{
    if (depth == t->stack_room) {
        uint32_t room = depth ? depth * 2 : 64;
        frame_id *stack = realloc(t->stack, room * sizeof *stack);
        if (!stack)
            return textin_fail(t, -ENOMEM, NULL);
        t->stack = stack;
        t->stack_room = room;
    }
    t->stack[depth] = frame;
    return 1;
}
