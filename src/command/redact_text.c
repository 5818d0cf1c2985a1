/*
 * redact_text.c - see redact_text.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/redact_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/secret.h"
#include "command/say.h"
#include "command/textbuf.h"

enum { KEY_MAX = 256, WORD_MAX = 4096 };

static bool is_key_char(char c)
{
    return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

/* Whether the `len` bytes are a key whose value is secret. Option words stand in front of it. */
static bool is_secret_key(const struct secret *s, const char *at, size_t len)
{
    static const char *const fronts[] = {"-D", "-XX:", "--"};
    char key[KEY_MAX];
    for (size_t i = 0; i < sizeof(fronts) / sizeof(fronts[0]); i++) {
        size_t front = strlen(fronts[i]);
        if (len <= front || memcmp(at, fronts[i], front) != 0)
            continue;
        at += front;
        len -= front;
    }
    if (len == 0 || len >= sizeof(key))
        return false;
    memcpy(key, at, len);
    key[len] = '\0';
    return secret_has_key(s, key);
}

/* An option or a pair that is secret by its text alone. Names of methods and classes may have the
 * same words in them, and stay. */
static bool is_secret_word(const struct secret *s, const char *at, size_t len)
{
    char word[WORD_MAX], joined[WORD_MAX + SECRET_MORE + 2];
    if (len == 0 || len >= sizeof(word) || (*at != '-' && !memchr(at, '=', len)))
        return false;
    memcpy(word, at, len);
    word[len] = '\0';
    secret_join(s, word, len + 1, joined);
    return strcmp(joined, word) != 0;
}

/* Writes one word. Returns 1 if a value was replaced. */
static uint32_t put_word(const struct secret *s, const char *at, size_t len, struct textbuf *ret)
{
    const char *equals = memchr(at, '=', len);
    size_t key = equals ? (size_t)(equals - at) : 0;
    if (equals && key + 1 < len && is_secret_key(s, at, key)) {
        textbuf_bytes(ret, at, key + 1);
        textbuf_text(ret, SECRET_INSTEAD);
        return 1;
    }
    if (is_secret_word(s, at, len)) {
        textbuf_text(ret, SECRET_INSTEAD);
        return 1;
    }
    textbuf_bytes(ret, at, len);
    return 0;
}

/* The length of "KEY=", "KEY = " or "KEY: " at the front of a line whose key is secret; 0: none. */
static size_t secret_front(const struct secret *s, const char *line, size_t len)
{
    size_t from = 0, to;
    while (from < len && (line[from] == ' ' || line[from] == '\t' || line[from] == '"'))
        from++;
    to = from;
    while (to < len && is_key_char(line[to]))
        to++;
    size_t key = to - from;
    if (to < len && line[to] == '"')
        to++;
    while (to < len && line[to] == ' ')
        to++;
    if (to >= len || (line[to] != '=' && line[to] != ':') || !is_secret_key(s, line + from, key))
        return 0;
    for (to++; to < len && line[to] == ' ';)
        to++;
    return to < len ? to : 0;
}

/* The number of times that a text has the words that replace a secret. */
static uint32_t count_instead(const char *text)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, SECRET_INSTEAD)) != NULL; at++)
        count++;
    return count;
}

uint32_t redact_text_words(const struct secret *s, const char *text, size_t len,
                           struct textbuf *ret)
{
    char *words = malloc(len + 1), *joined = NULL;
    uint32_t count = 0;
    size_t words_len = 0;
    if (words) {
        memcpy(words, text, len);
        words[len] = '\0';
        count = count_instead(words);
        words_len = secret_split(words);
        joined = malloc(secret_room(words, words_len));
    }
    if (joined) {
        textbuf_bytes(ret, joined, secret_join(s, words, words_len, joined));
        count = count_instead(joined) - count;
    } else {
        count = 0;
        ret->is_bad = true;
    }
    free(words);
    free(joined);
    return count;
}

/* The length of the front of a line that is followed by the words of a command line, whose secrets
 * may stand behind their options. Of a Java program the main class belongs to it. 0: the line is
 * another one. Source: HotSpot arguments.cpp (Arguments::print_on). */
static size_t command_front(const char *line, size_t len)
{
    static const char *const fronts[] = {
        "jvm_args: ", "jvm_flags: ", "java_command: ", "java_command="};
    for (size_t i = 0; i < sizeof(fronts) / sizeof(fronts[0]); i++) {
        size_t front = strlen(fronts[i]);
        bool is_java = strncmp(fronts[i], "java", 4) == 0;
        if (len < front || memcmp(line, fronts[i], front) != 0)
            continue;
        while (is_java && front < len && line[front] != ' ')
            front++;
        return front < len ? front : 0;
    }
    return 0;
}

static uint32_t put_line(const struct secret *s, const char *line, size_t len, struct textbuf *ret)
{
    uint32_t count = 0;
    size_t front = command_front(line, len);
    if (front > 0) {
        bool has_blank = line[front] == ' ';
        textbuf_bytes(ret, line, front + has_blank);
        return redact_text_words(s, line + front + has_blank, len - front - has_blank, ret);
    }
    front = secret_front(s, line, len);
    if (front > 0) {
        textbuf_bytes(ret, line, front);
        textbuf_text(ret, SECRET_INSTEAD);
        return 1;
    }
    for (size_t at = 0; at < len;) {
        size_t to = at;
        while (to < len && line[to] != ' ' && line[to] != '\t')
            to++;
        count += put_word(s, line + at, to - at, ret);
        for (at = to; at < len && (line[at] == ' ' || line[at] == '\t'); at++)
            textbuf_char(ret, line[at]);
    }
    return count;
}

uint32_t redact_text_arguments(const struct secret *s, const char *command, size_t main_len,
                               struct textbuf *ret)
{
    textbuf_bytes(ret, command, main_len);
    if (command[main_len] == '\0')
        return 0;
    textbuf_char(ret, ' ');
    return redact_text_words(s, command + main_len + 1, strlen(command + main_len + 1), ret);
}

uint32_t redact_text_put(const struct secret *s, const char *text, size_t len, struct textbuf *ret)
{
    uint32_t count = 0;
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t line = end ? (size_t)(end - text) - at : len - at;
        count += put_line(s, text + at, line, ret);
        if (end)
            textbuf_char(ret, '\n');
        at += line + (end != NULL);
    }
    return count;
}

/* ---- the options of commands */

int redact_text_option(struct redact_text *r, const char *command, int which, const char *value)
{
    if (which == REDACT_TEXT_KEY)
        r->secret.keys = value;
    else if (which == REDACT_TEXT_ARGUMENT)
        r->secret.arguments = value;
    else if (strcmp(value, "none") == 0)
        r->is_off = true;
    else {
        say("%s: --redact '%s': wanted is none; --redact-key and --redact-argument take names",
            command, value);
        return E_SYNTAX;
    }
    return 0;
}

const struct secret *redact_text_secret(const struct redact_text *r)
{
    static const struct secret none = {.keys = "none", .arguments = "none"};
    return r->is_off ? &none : &r->secret;
}

void redact_text_say(const struct redact_text *r, const char *who)
{
    if (r->count > 0)
        say("%s: %u value%s redacted; '--redact none' shows %s", who, r->count,
            plural_of(r->count, " was", "s were"), plural_of(r->count, "it", "them"));
}
