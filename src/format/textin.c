/*
 * textin.c - see textin.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/textin.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/feed.h"
#include "format/format.h"
#include "profile/sieve.h"

enum {
    LINES = 4096,            /* lines that are read at a time */
    LONGEST_LINE = 64 << 20, /* bytes of the longest line that is read */
    DEPTH_MAX = 1 << 20,     /* frames of the deepest stack that is read */
};

/* All bytes that the feed has now. */
static struct textin_span span_of(const struct feed *f)
{
    const char *start = (const char *)f->bytes;
    return (struct textin_span){start, start + f->len};
}

struct textin *textin_open(struct reader_in *in)
{
    struct textin *t = calloc(1, sizeof(*t));
    in->state = t;
    if (!t) {
        in->error.code = -ENOMEM;
        return NULL;
    }
    t->profile = in->profile;
    t->sieve = in->sieve;
    t->feed = in->feed;
    t->rest = span_of(in->feed);
    t->line = (struct textin_span){t->rest.at, t->rest.at};
    t->lost_before = profile_lost(in->profile);
    return t;
}

int textin_result(struct reader_in *in)
{
    const struct textin *t = in->state;
    const char *start = (const char *)in->feed->bytes;
    in->position = (uint64_t)(t->rest.at - start);
    if (t->code != 0)
        in->error = (struct reader_error){.code = t->code,
                                          .offset = (uint64_t)(t->line.at - start),
                                          .line = t->line_number,
                                          .detail = t->detail};
    return t->code;
}

int textin_read_lines(struct reader_in *in, void (*read_line)(struct textin *t))
{
    struct textin *t = in->state;
    int r;
    if (t->profile != in->profile)
        t->lost_before = profile_lost(in->profile);
    t->profile = in->profile;
    for (int i = 0; i < LINES && (i == 0 || !profile_is_crowded(t->profile)); i++) {
        if (!textin_next(t))
            return textin_result(in);
        read_line(t);
        if (profile_lost(t->profile) != t->lost_before)
            textin_fail(t, E_LIMIT, "the memory for the profile is used up");
    }
    r = textin_result(in);
    return r < 0 ? r : 1;
}

void textin_close(struct reader_in *in)
{
    struct textin *t = in->state;
    if (!t)
        return;
    frame_list_done(&t->stack);
    free(t->exact.ns);
    free(t);
    in->state = NULL;
}

bool textin_fail(struct textin *t, int code, const char *detail)
{
    if (t->code == 0) {
        t->code = code;
        t->detail = detail;
    }
    return false;
}

/* The end of the line with which `rest` begins. If the line has no line break, the end of the
 * file. */
static const char *find_line_end(struct textin *t)
{
    const char *newline, *from = t->rest.at;
    while (!(newline = memchr(from, '\n', (size_t)(t->rest.end - from)))) {
        from = t->rest.end;
        if (t->rest.end - t->rest.at > LONGEST_LINE || !feed_more(t->feed))
            break;
        t->rest.end = span_of(t->feed).end;
    }
    return newline ? newline : t->rest.end;
}

bool textin_next(struct textin *t)
{
    const char *end;
    if (t->code != 0)
        return false;
    end = find_line_end(t);
    if (t->rest.at == t->rest.end)
        return t->feed->error ? textin_fail(t, t->feed->error, t->feed->why) : false;
    t->line = (struct textin_span){t->rest.at, end};
    t->line_number++;
    if (end - t->rest.at > LONGEST_LINE)
        return textin_fail(t, E_LIMIT, "a line of more than 64 MB");
    if (end == t->rest.end && t->feed->error)
        return textin_fail(t, t->feed->error, t->feed->why);
    if (end == t->rest.end && !t->end_is_free)
        return textin_fail(t, E_TRUNCATED, "the last line is cut off");
    t->rest.at = end < t->rest.end ? end + 1 : end;
    if (t->line.end > t->line.at && t->line.end[-1] == '\r')
        t->line.end--;
    return true;
}

void textin_put_back(struct textin *t)
{
    t->rest.at = t->line.at;
    t->line_number--;
}

bool textin_starts_with(struct textin_span s, const char *prefix)
{
    size_t len = strlen(prefix);
    return (size_t)(s.end - s.at) >= len && memcmp(s.at, prefix, len) == 0;
}

bool textin_is(struct textin_span s, const char *text)
{
    return (size_t)(s.end - s.at) == strlen(text) && textin_starts_with(s, text);
}

bool textin_take(struct textin_span *s, const char *prefix)
{
    if (!textin_starts_with(*s, prefix))
        return false;
    s->at += strlen(prefix);
    return true;
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

bool textin_number(struct textin_span *s, unsigned base, uint64_t max, uint64_t *ret_value)
{
    uint64_t value = 0;
    bool fits = true;
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

bool textin_column(struct textin_span *s, uint64_t *ret_value)
{
    textin_skip_blanks(s);
    return textin_number(s, 10, UINT64_MAX, ret_value);
}

bool textin_u4(struct textin_span *s, uint32_t *ret_value)
{
    uint64_t value;
    bool ok = textin_number(s, 10, UINT32_MAX, &value);
    *ret_value = (uint32_t)value;
    return ok;
}

bool textin_rank(struct textin_span *s)
{
    uint32_t rank;
    textin_skip_blanks(s);
    bool ok = textin_u4(s, &rank);

    for (int i = 0; i < 2; i++) {
        textin_skip_blanks(s);
        textin_skip_word(s);
    }
    return ok;
}

/* The original agent writes the decimal point of the program's locale, and nan% if there is no
 * total. */
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

const char textin_too_large[] = "counts whose sum has more than 64 bits";

void textin_count(struct textin *t, const struct event *event)
{
    if (t->counted) {
        sieve_count(t->sieve, event->kind, t->counted, event->value[0]);
        t->counted = 0;
    } else if (profile_count(t->profile, event) == E_LIMIT)
        textin_fail(t, E_FORMAT, textin_too_large);
}

string_id textin_string(struct textin *t, struct textin_span s)
{
    return s.at < s.end ? profile_string(t->profile, s.at, (size_t)(s.end - s.at)) : 0;
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

bool textin_push(struct textin *t, uint32_t depth, frame_id frame)
{
    if (depth >= DEPTH_MAX)
        return textin_fail(t, E_LIMIT, "a stack of more than a million frames");
    if (!frame_list_reserve(&t->stack, depth + 1))
        return textin_fail(t, -ENOMEM, NULL);
    t->stack.frames[depth] = frame;
    return true;
}
