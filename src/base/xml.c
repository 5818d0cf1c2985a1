/*
 * xml.c - see xml.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/xml.h"
#include <stdint.h>
#include <string.h>
#include "base/err.h"
#include "base/hex.h"

static const char blanks[] = " \t\r\n", cdata[] = "<![CDATA[", cdata_end[] = "]]>";

void xml_open(struct xml *x, const char *text, size_t len)
{
    static const char mark[] = "\xef\xbb\xbf"; /* the byte order mark */
    *x = (struct xml){.at = text, .end = text + len, .line = 1};
    if (len >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0)
        x->at += strlen(mark);
}

int xml_fail(struct xml *x, const char *why)
{
    if (!x->why)
        x->why = why;
    x->at = x->end;
    return E_SYNTAX;
}

bool xml_is(const struct xml_part *part, const char *name)
{
    return strlen(name) == part->name_len && memcmp(part->name, name, part->name_len) == 0;
}

static bool is_at_end(const struct xml *x)
{
    return x->at == x->end;
}

static bool is_blank(char c)
{
    return c && strchr(blanks, c);
}

static char take(struct xml *x)
{
    if (is_at_end(x))
        return '\0';
    x->line += *x->at == '\n';
    return *x->at++;
}

static bool begins(const struct xml *x, const char *word)
{
    size_t len = strlen(word);
    return (size_t)(x->end - x->at) >= len && memcmp(x->at, word, len) == 0;
}

static void skip_blanks(struct xml *x)
{
    while (!is_at_end(x) && is_blank(*x->at))
        take(x);
}

/* Moves behind the next `end`. Errors: 0; E_SYNTAX: there is none. */
static int skip_to(struct xml *x, const char *end)
{
    while (!is_at_end(x) && !begins(x, end))
        take(x);
    if (is_at_end(x))
        return xml_fail(x, "something begins that does not end");
    x->at += strlen(end);
    return 0;
}

/* ---- references */

/* Parses a reference by number, "#60;" or "#x3c;". Returns its length; 0: it is no number of a
 * character. */
static size_t number_at(const char *text, size_t len, uint32_t *ret_character)
{
    unsigned base = len > 1 && text[1] == 'x' ? 16 : 10;
    size_t i = base == 16 ? 2 : 1, first = i;
    uint32_t c = 0;
    for (; i < len && (unsigned)hex_digit(text[i]) < base && c <= 0x10ffff; i++)
        c = c * base + (unsigned)hex_digit(text[i]);
    if (i == first || i >= len || text[i] != ';' || c == 0 || c > 0x10ffff ||
        (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *ret_character = c;
    return i + 1;
}

/* Parses a reference; `text` begins behind the ampersand. Returns its length; 0: XML does not
 * define such a reference. */
static size_t reference_at(const char *text, size_t len, uint32_t *ret_character)
{
    static const struct {
        const char *word;
        char c;
    } known[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        size_t word = strlen(known[i].word);
        if (len >= word && memcmp(text, known[i].word, word) == 0) {
            *ret_character = (uint32_t)known[i].c;
            return word;
        }
    }
    return len > 0 && text[0] == '#' ? number_at(text, len, ret_character) : 0;
}

static size_t put_utf8(uint32_t c, char to[4])
{
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(leads[n > 1 ? n : 0] | c);
    return n;
}

size_t xml_text(const struct xml_part *part, char *to, size_t room)
{
    size_t len = 0;
    for (size_t i = 0; i < part->text_len;) {
        char bytes[4] = {part->text[i]};
        size_t n = 1;
        uint32_t c;
        i++;
        if (bytes[0] == '&' && !part->is_literal) {
            i += reference_at(part->text + i, part->text_len - i, &c);
            n = put_utf8(c, bytes);
        }
        if (len + n >= room)
            break;
        memcpy(to + len, bytes, n);
        len += n;
    }
    to[len] = '\0';
    return len;
}

/* ---- parts */

/* Takes a text or value up to `end`, which is not taken. Errors: 0, E_SYNTAX. */
static int take_text(struct xml *x, char end, struct xml_part *ret)
{
    ret->text = x->at;
    while (!is_at_end(x) && *x->at != end) {
        uint32_t c;
        if (take(x) == '&' && reference_at(x->at, (size_t)(x->end - x->at), &c) == 0)
            return xml_fail(x, "a reference that XML does not have by itself");
    }
    ret->text_len = (size_t)(x->at - ret->text);
    return 0;
}

static bool is_of_name(char c)
{
    return c && !is_blank(c) && !strchr("<>/=\"'", c);
}

static void take_name(struct xml *x, struct xml_part *ret)
{
    ret->name = x->at;
    while (!is_at_end(x) && is_of_name(*x->at))
        take(x);
    ret->name_len = (size_t)(x->at - ret->name);
}

static int take_attribute(struct xml *x, struct xml_part *ret)
{
    char quote;
    ret->kind = XML_ATTRIBUTE;
    take_name(x, ret);
    skip_blanks(x);
    if (ret->name_len == 0 || take(x) != '=')
        return xml_fail(x, "an attribute without a value");
    skip_blanks(x);
    quote = take(x);
    if (quote != '"' && quote != '\'')
        return xml_fail(x, "a value without quotation marks");
    if (take_text(x, quote, ret) != 0)
        return E_SYNTAX;
    if (take(x) != quote)
        return xml_fail(x, "a text that does not end");
    return 1;
}

/* The next attribute of the open element, or its end if it is written <name/>. Returns 0 where the
 * start tag ends. */
static int next_of_tag(struct xml *x, struct xml_part *ret)
{
    skip_blanks(x);
    if (is_at_end(x))
        return xml_fail(x, "a tag that does not end");
    if (*x->at != '>' && *x->at != '/')
        return take_attribute(x, ret);
    *ret = x->opens;
    x->opens.name = NULL;
    ret->kind = XML_CLOSES;
    ret->is_short = take(x) == '/';
    if (ret->is_short && take(x) != '>')
        return xml_fail(x, "a tag that does not end");
    return ret->is_short;
}

/* Reads a tag; the reader stands behind the "<". */
static int take_tag(struct xml *x, struct xml_part *ret)
{
    bool is_end = begins(x, "/");
    if (is_end)
        take(x);
    ret->kind = is_end ? XML_CLOSES : XML_OPENS;
    take_name(x, ret);
    if (ret->name_len == 0)
        return xml_fail(x, "a tag that does not end");
    if (!is_end) {
        x->opens = *ret;
        return 1;
    }
    skip_blanks(x);
    return take(x) == '>' ? 1 : xml_fail(x, "the end of an element with more than its name");
}

static int take_cdata(struct xml *x, struct xml_part *ret)
{
    x->at += strlen(cdata);
    ret->kind = XML_TEXT;
    ret->is_literal = true;
    ret->text = x->at;
    if (skip_to(x, cdata_end) != 0)
        return E_SYNTAX;
    ret->text_len = (size_t)(x->at - ret->text) - strlen(cdata_end);
    return 1;
}

/* Reads what begins with "<". Returns 0 after a comment or declaration, which is no part. */
static int take_markup(struct xml *x, struct xml_part *ret)
{
    if (begins(x, "<!--"))
        return skip_to(x, "-->");
    if (begins(x, cdata))
        return take_cdata(x, ret);
    if (begins(x, "<?"))
        return skip_to(x, "?>");
    if (begins(x, "<!"))
        return skip_to(x, ">");
    take(x);
    return take_tag(x, ret);
}

int xml_next(struct xml *x, struct xml_part *ret)
{
    int r = 0;
    *ret = (struct xml_part){0};
    if (x->opens.name && !x->why)
        r = next_of_tag(x, ret);
    while (r == 0 && !x->why && !is_at_end(x)) {
        *ret = (struct xml_part){.kind = XML_TEXT};
        if (*x->at == '<')
            r = take_markup(x, ret);
        else
            r = take_text(x, '<', ret) == 0 ? 1 : E_SYNTAX;
    }
    return x->why ? E_SYNTAX : r;
}
