/*
 * jsonscan.c - see jsonscan.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/jsonscan.h"
#include "base/hex.h"

enum { HIGH_FIRST = 0xd800, LOW_FIRST = 0xdc00, LOW_LAST = 0xdfff, REPLACEMENT = 0xfffd };

void jsonscan_init(struct jsonscan *s, const char *text, size_t len)
{
    *s = (struct jsonscan){.at = text, .end = text + len};
}

void jsonscan_done(struct jsonscan *s)
{
    textbuf_done(&s->text);
}

static enum jsonscan_piece fail(struct jsonscan *s)
{
    s->is_bad = true;
    return JSONSCAN_BAD;
}

static void skip_blanks(struct jsonscan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
        s->at++;
}

static bool in_array(const struct jsonscan *s)
{
    return (s->arrays >> s->depth & 1) != 0;
}

/* The four digits at `at`; -1: they are none. */
static int32_t unit_at(const struct jsonscan *s, const char *at)
{
    int32_t unit = 0;
    if (s->end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static void put_character(struct textbuf *t, uint32_t c)
{
    if (c < 0x80) {
        textbuf_char(t, (char)c);
    } else if (c < 0x800) {
        textbuf_char(t, (char)(0xc0 | c >> 6));
        textbuf_char(t, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        textbuf_char(t, (char)(0xe0 | c >> 12));
        textbuf_char(t, (char)(0x80 | (c >> 6 & 0x3f)));
        textbuf_char(t, (char)(0x80 | (c & 0x3f)));
    } else {
        textbuf_char(t, (char)(0xf0 | c >> 18));
        textbuf_char(t, (char)(0x80 | (c >> 12 & 0x3f)));
        textbuf_char(t, (char)(0x80 | (c >> 6 & 0x3f)));
        textbuf_char(t, (char)(0x80 | (c & 0x3f)));
    }
}

/* Behind "\u". Half a pair becomes U+FFFD. */
static bool read_unit(struct jsonscan *s)
{
    int32_t unit = unit_at(s, s->at), low = -1;
    if (unit < 0)
        return false;
    s->at += 4;
    if (unit >= HIGH_FIRST && unit < LOW_FIRST && s->end - s->at >= 6 && s->at[0] == '\\' &&
        s->at[1] == 'u')
        low = unit_at(s, s->at + 2);
    if (low >= LOW_FIRST && low <= LOW_LAST) {
        s->at += 6;
        put_character(&s->text, 0x10000 + ((uint32_t)(unit - HIGH_FIRST) << 10) +
                                    (uint32_t)(low - LOW_FIRST));
    } else {
        put_character(&s->text,
                      unit >= HIGH_FIRST && unit <= LOW_LAST ? REPLACEMENT : (uint32_t)unit);
    }
    return true;
}

static bool read_escape(struct jsonscan *s)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (s->at == s->end)
        return false;
    char c = *s->at++;
    if (c == 'u')
        return read_unit(s);
    const char *found = c != '\0' ? strchr(from, c) : NULL;
    if (found)
        textbuf_char(&s->text, to[found - from]);
    return found != NULL;
}

/* Behind the quotation mark. */
static bool read_string(struct jsonscan *s)
{
    while (s->at < s->end) {
        const char *from = s->at;
        while (s->at < s->end && *s->at != '"' && *s->at != '\\')
            s->at++;
        textbuf_bytes(&s->text, from, (size_t)(s->at - from));
        if (s->at == s->end)
            return false;
        if (*s->at++ == '"')
            return true;
        if (!read_escape(s))
            return false;
    }
    return false;
}

static bool read_other(struct jsonscan *s)
{
    const char *from = s->at;
    while (s->at < s->end && !strchr(",]} \t\r\n:\"[{", *s->at))
        s->at++;
    textbuf_bytes(&s->text, from, (size_t)(s->at - from));
    return s->at > from;
}

static enum jsonscan_piece open(struct jsonscan *s, bool is_array)
{
    if (s->depth == JSONSCAN_DEPTH)
        return fail(s);
    s->depth++;
    s->arrays = (s->arrays & ~(1ULL << s->depth)) | (uint64_t)is_array << s->depth;
    s->has_value = s->is_named = false;
    return is_array ? JSONSCAN_ARRAY : JSONSCAN_OBJECT;
}

static enum jsonscan_piece close(struct jsonscan *s, bool is_array)
{
    if (s->depth == 0 || in_array(s) != is_array || s->is_named)
        return fail(s);
    s->depth--;
    s->has_value = true;
    return is_array ? JSONSCAN_ARRAY_END : JSONSCAN_OBJECT_END;
}

static enum jsonscan_piece text_read(struct jsonscan *s, bool is_whole, enum jsonscan_piece piece)
{
    textbuf_char(&s->text, '\0');
    if (!is_whole || s->text.is_bad)
        return fail(s);
    s->text.len--;
    return piece;
}

static enum jsonscan_piece read_name(struct jsonscan *s)
{
    if (s->at == s->end || *s->at++ != '"')
        return fail(s);
    bool is_whole = read_string(s);
    skip_blanks(s);
    if (!is_whole || s->at == s->end || *s->at++ != ':')
        return fail(s);
    s->is_named = true;
    return text_read(s, is_whole, JSONSCAN_NAME);
}

static enum jsonscan_piece read_value(struct jsonscan *s)
{
    char c = *s->at;
    bool is_string = c == '"';
    if (c == '{' || c == '[') {
        s->at++;
        return open(s, c == '[');
    }
    s->at += is_string;
    bool is_whole = is_string ? read_string(s) : read_other(s);
    s->has_value = true;
    s->is_named = false;
    return text_read(s, is_whole, is_string ? JSONSCAN_STRING : JSONSCAN_OTHER);
}

enum jsonscan_piece jsonscan_next(struct jsonscan *s)
{
    if (s->is_bad)
        return JSONSCAN_BAD;
    s->text.len = 0;
    skip_blanks(s);
    if (s->at == s->end)
        return s->depth == 0 ? JSONSCAN_END : fail(s);
    if (*s->at == '}' || *s->at == ']')
        return close(s, *s->at++ == ']');
    if (s->depth > 0 && s->has_value) {
        if (*s->at++ != ',')
            return fail(s);
        s->has_value = false;
        skip_blanks(s);
        if (s->at == s->end)
            return fail(s);
    }
    return s->depth > 0 && !in_array(s) && !s->is_named ? read_name(s) : read_value(s);
}

bool jsonscan_skip(struct jsonscan *s, enum jsonscan_piece piece)
{
    unsigned depth = s->depth;
    if (piece == JSONSCAN_NAME)
        piece = jsonscan_next(s);
    else if (piece == JSONSCAN_OBJECT || piece == JSONSCAN_ARRAY)
        depth--;
    while (piece != JSONSCAN_BAD && s->depth > depth)
        piece = jsonscan_next(s);
    return piece != JSONSCAN_BAD;
}

bool jsonscan_is(const struct jsonscan *s, const char *word)
{
    return s->text.len == strlen(word) && memcmp(s->text.bytes, word, s->text.len) == 0;
}
