/*
 * jfr_redact.c - see jfr_redact.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_redact.h"
#include <ctype.h>
#include <string.h>
#include "jfr/jfr_filter.h"
#include "jfr/jfr_text.h"
#include "jfr/jfr_value.h"

enum { NAME = 512 };

static const char instead[] = "(redacted)";

/* Copies the text and a NUL. NULL: the text itself has a NUL, or there is no memory. */
static char *take_text(struct textbuf *to, const struct jfr_text *text)
{
    size_t room = jfr_text_room(text) + 1;
    to->len = 0;
    if (to->room < room && !textbuf_grow(to, room))
        return NULL;
    to->len = jfr_text_utf8(text, to->bytes);
    to->bytes[to->len] = '\0';
    return strlen(to->bytes) == to->len ? to->bytes : NULL;
}

/* Whether the event's field "key" names a secret, so that its "value" is replaced. */
static bool has_secret_key(const char *keys, const struct jfr_chunk *c,
                           const struct jfr_record *event, const struct jfr_type *type)
{
    const struct jfr_value whole = jfr_value_event(type, event);
    struct jfr_value key;
    char text[NAME];
    if (!jfr_value_named(c, &whole, "key", &key) || key.shape != JFR_TEXT)
        return false;
    jfr_value_utf8(&key, text, sizeof(text));
    return jfr_filter_texts(keys, text);
}

/* Whether the word before a '=' names a secret: as "name", "--name" or "-Dname", or after a colon,
 * as in "-XX:name" and "-javaagent:x.jar:name". */
static bool is_secret_name(const char *keys, const char *word, size_t len)
{
    char name[NAME], *at = name, *colon;
    if (len == 0 || len >= sizeof(name))
        return false;
    memcpy(name, word, len);
    name[len] = '\0';
    if (jfr_filter_texts(keys, name))
        return true;
    at += strspn(at, "-");
    if (at > name && (jfr_filter_texts(keys, at) ||
                      (isupper((unsigned char)*at) && jfr_filter_texts(keys, at + 1))))
        return true;
    colon = strrchr(at, ':');
    return colon && jfr_filter_texts(keys, colon + 1);
}

/* The beginning of the word that ends at `end`. */
static const char *word_before(const char *text, const char *end)
{
    const char *at = end;
    while (at > text && !strchr(" \t\r\n\"'=,;&?", at[-1]))
        at--;
    return at;
}

static const char *value_end(const char *value)
{
    const char *at = value;
    if ((*at == '"' || *at == '\'') && (at = strchr(value + 1, *value)) != NULL)
        return at + 1;
    for (at = value; *at != '\0' && *at != '\n'; at++)
        if (isspace((unsigned char)*at) && at[1 + strspn(at + 1, " \t")] == '-')
            break;
    return at;
}

bool jfr_redact_arguments(const char *keys, const char *text, struct textbuf *to)
{
    const char *kept = text; /* the text before it is already written */
    const char *at = strchr(text, '=');
    to->len = 0;
    while (at) {
        const char *word = word_before(kept, at), *value = at + 1, *end = value;
        if (is_secret_name(keys, word, (size_t)(at - word)))
            end = value_end(value);
        if (end > value) {
            textbuf_bytes(to, kept, (size_t)(value - kept));
            textbuf_text(to, instead);
            kept = end;
        }
        at = strchr(end, '=');
    }
    textbuf_bytes(to, kept, strlen(kept) + 1);
    return kept > text;
}

/* A recording writes class names with slashes, but patterns are written with dots. Both forms are
 * compared. */
static bool is_secret_text(const char *patterns, char *text)
{
    if (jfr_filter_texts(patterns, text))
        return true;
    for (char *slash = text; (slash = strchr(slash, '/')) != NULL;)
        *slash = '.';
    return jfr_filter_texts(patterns, text);
}

const char *jfr_redact_text(struct jfr_redact *r, const struct jfr_chunk *c,
                            const struct jfr_record *event, const struct jfr_type *type,
                            const struct jfr_field *field, const struct jfr_text *text)
{
    if (r->keys && event && strcmp(field->name, "value") == 0 &&
        has_secret_key(r->keys, c, event, type))
        return instead;
    char *all = take_text(&r->text, text);
    bool has_some = all && r->keys && jfr_redact_arguments(r->keys, all, &r->shown);
    /* A text that cannot be read is replaced too. */
    if (!all || r->shown.is_bad || (r->texts && is_secret_text(r->texts, all)))
        return instead;
    return has_some ? r->shown.bytes : NULL;
}

void jfr_redact_done(struct jfr_redact *r)
{
    textbuf_done(&r->text);
    textbuf_done(&r->shown);
}
