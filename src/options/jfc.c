/*
 * jfc.c - see jfc.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/jfc.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/err.h"

static const char blanks[] = " \t\r\n", cdata[] = "<![CDATA[", cdata_end[] = "]]>";

enum kind { ENDED, OPENS, CLOSES, OPENS_AND_CLOSES };

/* An element's start or end. */
struct tag {
    enum kind kind;
    char element[JFC_TEXT];
    char name[JFC_TEXT]; /* its attribute `name`; "": none */
};

void jfc_open(struct jfc *j, const char *text, size_t len)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */

    *j = (struct jfc){.at = text, .end = text + len, .line = 1};
    if (len >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0)
        j->at += strlen(mark);
}

static int fail(struct jfc *j, const char *why)
{
    if (!j->why)
        j->why = why;
    j->at = j->end;
    return E_SYNTAX;
}

static bool is_at_end(const struct jfc *j)
{
    return j->at == j->end;
}

static bool is_blank(char c)
{
    return c && strchr(blanks, c);
}

static char take(struct jfc *j)
{
    if (is_at_end(j))
        return '\0';
    j->line += *j->at == '\n';
    return *j->at++;
}

static bool begins(const struct jfc *j, const char *word)
{
    size_t len = strlen(word);

    return (size_t)(j->end - j->at) >= len && memcmp(j->at, word, len) == 0;
}

static void skip_blanks(struct jfc *j)
{
    while (!is_at_end(j) && is_blank(*j->at))
        take(j);
}

/* Behind the next `end`. Errors: 0; E_SYNTAX: there is none. */
static int skip_to(struct jfc *j, const char *end)
{
    while (!is_at_end(j) && !begins(j, end))
        take(j);
    if (is_at_end(j))
        return fail(j, "something begins that does not end");
    j->at += strlen(end);
    return 0;
}

static void put(char to[JFC_TEXT], size_t *n, char c)
{
    if (*n + 1 < JFC_TEXT)
        to[(*n)++] = c;
    to[*n] = '\0';
}

/* The character that "&lt;" or "&#60;" stands for, from behind the ampersand; what is none of ASCII
 * is a question mark: no setting has it. */
static int take_reference(struct jfc *j, char *ret)
{
    static const struct {
        const char *word;
        char c;
    } known[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''}};
    enum { DIGITS = 7, ASCII = 128 };
    char digits[DIGITS + 1] = "";
    size_t n = 0;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (begins(j, known[i].word)) {
            j->at += strlen(known[i].word);
            *ret = known[i].c;
            return 0;
        }
    }
    if (take(j) != '#')
        return fail(j, "a reference that XML does not have by itself");
    while (n < DIGITS && !is_at_end(j) && *j->at != ';')
        digits[n++] = take(j);
    if (take(j) != ';' || n == 0)
        return fail(j, "a reference that does not end");
    long c = digits[0] == 'x' ? strtol(digits + 1, NULL, 16) : strtol(digits, NULL, 10);

    *ret = c > 0 && c < ASCII ? (char)c : '?';
    return 0;
}

/* Up to `end`, which stays, behind the first *n of `ret`. Errors: 0, E_SYNTAX. */
static int take_more(struct jfc *j, char end, char ret[JFC_TEXT], size_t *n)
{
    while (!is_at_end(j) && *j->at != end) {
        char c = take(j);

        if (c == '&' && take_reference(j, &c) != 0)
            return E_SYNTAX;
        put(ret, n, c);
    }
    return is_at_end(j) ? fail(j, "a text that does not end") : 0;
}

static int take_text(struct jfc *j, char end, char ret[JFC_TEXT])
{
    size_t n = 0;

    ret[0] = '\0';
    return take_more(j, end, ret, &n);
}

/* What stands in <![CDATA[...]]>, likewise: references are none there. */
static int take_cdata(struct jfc *j, char ret[JFC_TEXT], size_t *n)
{
    j->at += strlen(cdata);
    while (!is_at_end(j) && !begins(j, cdata_end))
        put(ret, n, take(j));
    return skip_to(j, cdata_end);
}

static bool is_of_name(char c)
{
    return !is_blank(c) && !strchr("<>/=\"'", c);
}

static void take_name(struct jfc *j, char ret[JFC_TEXT])
{
    size_t n = 0;

    ret[0] = '\0';
    while (!is_at_end(j) && is_of_name(*j->at))
        put(ret, &n, take(j));
}

static int take_attribute(struct jfc *j, struct tag *tag)
{
    char name[JFC_TEXT], value[JFC_TEXT], quote;

    take_name(j, name);
    skip_blanks(j);
    if (!name[0] || take(j) != '=')
        return fail(j, "an attribute without a value");
    skip_blanks(j);
    quote = take(j);
    if (quote != '"' && quote != '\'')
        return fail(j, "a value without quotation marks");
    if (take_text(j, quote, value) != 0)
        return E_SYNTAX;
    take(j);
    if (strcmp(name, "name") == 0)
        memcpy(tag->name, value, sizeof(value));
    return 0;
}

/* From behind the "<" on. */
static int take_tag(struct jfc *j, struct tag *ret)
{
    ret->name[0] = '\0';
    ret->kind = OPENS;
    if (begins(j, "/")) {
        take(j);
        ret->kind = CLOSES;
    }
    take_name(j, ret->element);
    skip_blanks(j);
    while (!is_at_end(j) && *j->at != '>' && *j->at != '/') {
        if (ret->kind == CLOSES || take_attribute(j, ret) != 0)
            return fail(j, "the end of an element with more than its name");
        skip_blanks(j);
    }
    if (begins(j, "/")) {
        take(j);
        ret->kind = OPENS_AND_CLOSES;
    }
    if (!ret->element[0] || take(j) != '>')
        return fail(j, "a tag that does not end");
    return 0;
}

/* The next tag; texts before it are passed over. */
static int next_tag(struct jfc *j, struct tag *ret)
{
    ret->kind = ENDED;
    for (;;) {
        while (!is_at_end(j) && *j->at != '<')
            take(j);
        if (is_at_end(j))
            return 0;
        int error = 0;

        if (begins(j, "<!--"))
            error = skip_to(j, "-->");
        else if (begins(j, cdata))
            error = skip_to(j, cdata_end);
        else if (begins(j, "<?"))
            error = skip_to(j, "?>");
        else if (begins(j, "<!"))
            error = skip_to(j, ">");
        else {
            take(j);
            return take_tag(j, ret);
        }
        if (error)
            return error;
    }
}

static void trim(char *text)
{
    size_t len = strlen(text), lead = strspn(text, blanks);

    while (len > lead && is_blank(text[len - 1]))
        len--;
    memmove(text, text + lead, len - lead);
    text[len - lead] = '\0';
}

/* The text of an element up to the next tag; comments are none of it. */
static int take_value(struct jfc *j, char ret[JFC_TEXT])
{
    size_t n = 0;
    int error = 0;

    ret[0] = '\0';
    while (!error && take_more(j, '<', ret, &n) == 0) {
        if (begins(j, "<!--"))
            error = skip_to(j, "-->");
        else if (begins(j, cdata))
            error = take_cdata(j, ret, &n);
        else
            return 0;
    }
    return E_SYNTAX;
}

static int take_setting(struct jfc *j, const struct tag *tag, struct jfc_setting *ret)
{
    memcpy(ret->event, j->event, sizeof(ret->event));
    memcpy(ret->name, tag->name, sizeof(ret->name));
    if (take_value(j, ret->value) != 0)
        return E_SYNTAX;
    trim(ret->value);
    return 1;
}

int jfc_next(struct jfc *j, struct jfc_setting *ret)
{
    struct tag tag;

    while (!j->why && next_tag(j, &tag) == 0 && tag.kind != ENDED) {
        bool is_event = strcasecmp(tag.element, "event") == 0;

        if (!j->has_root && strcasecmp(tag.element, "configuration") != 0)
            return fail(j, "the first element is not <configuration>");
        j->has_root = true;
        if (is_event && tag.kind == OPENS)
            memcpy(j->event, tag.name, sizeof(j->event));
        else if (is_event)
            j->event[0] = '\0';
        else if (j->event[0] && tag.kind == OPENS && strcasecmp(tag.element, "setting") == 0)
            return take_setting(j, &tag, ret);
    }
    if (!j->why && !j->has_root)
        fail(j, "there is no <configuration>");
    return j->why ? E_SYNTAX : 0;
}
