/*
 * secret.c - see secret.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/secret.h"
#include <string.h>
#include "base/wildcard.h"

/* Patterns for keys and for arguments. */
static const char *const names[] = {
    "*jaas*config*", "*password*",   "*passwd*",  "*pwd*",           "*passphrase*",  "*token*",
    "*secret*",      "*credential*", "*api*key*", "*client*secret*", "*private*key*", "*jwt*",
};

/* The argument after one of these options is its secret value. */
static const char *const options[] = {
    "--*jaas*config", "--*password",      "--*passwd",      "--*pwd",
    "--*passphrase",  "--*token",         "--*secret",      "--*credential",
    "--*api*key",     "--*client*secret", "--*private*key", "--*jwt",
};

enum { NAMES = sizeof(names) / sizeof(names[0]), OPTIONS = sizeof(options) / sizeof(options[0]) };

static bool is_in(const char *const *patterns, size_t count, const char *text, size_t len)
{
    for (size_t i = 0; i < count; i++)
        if (wildcard_matches(patterns[i], strlen(patterns[i]), text, len, true))
            return true;
    return false;
}

/* Whether the built-in patterns count beside the list that the user gave. */
static bool has_own(const char *list)
{
    return !list || !list[0] || list[0] == '+';
}

static bool is_in_list(const char *list, const char *text, size_t len)
{
    if (!list || strcmp(list, "none") == 0)
        return false;
    for (const char *at = list + (list[0] == '+'); *at;) {
        size_t pattern_len = strcspn(at, ";");
        if (pattern_len > 0 && wildcard_matches(at, pattern_len, text, len, true))
            return true;
        at += pattern_len + (at[pattern_len] == ';');
    }
    return false;
}

static bool is_secret_key(const struct secret *s, const char *key, size_t len)
{
    return (has_own(s->keys) && (is_in(names, NAMES, key, len) ||
                                 wildcard_matches("*auth*", strlen("*auth*"), key, len, true))) ||
           is_in_list(s->keys, key, len);
}

bool secret_has_key(const struct secret *s, const char *key)
{
    return is_secret_key(s, key, strlen(key));
}

static bool is_secret_argument(const struct secret *s, const char *word, size_t len)
{
    return (has_own(s->arguments) && is_in(names, NAMES, word, len)) ||
           is_in_list(s->arguments, word, len);
}

/* For "-Dkey=value" with a secret key: the length of the part that is told, "-Dkey=";
 * otherwise 0. */
static size_t told_of_property(const struct secret *s, const char *word, size_t len)
{
    const char *equals = memchr(word, '=', len);
    return equals && len > 2 && word[0] == '-' && word[1] == 'D' &&
                   is_secret_key(s, word + 2, (size_t)(equals - word) - 2)
               ? (size_t)(equals - word) + 1
               : 0;
}

static char *put(char *to, const char *bytes, size_t len)
{
    memcpy(to, bytes, len);
    return to + len;
}

static char *put_instead(char *to)
{
    return put(to, SECRET_INSTEAD, sizeof(SECRET_INSTEAD) - 1);
}

static char *put_word(const struct secret *s, char *to, const char *word, size_t len)
{
    if (is_secret_argument(s, word, len))
        return put_instead(to);
    size_t told = told_of_property(s, word, len);
    to = put(to, word, told ? told : len);
    return told ? put_instead(to) : to;
}

size_t secret_join(const struct secret *s, const char *words, size_t len, char *to)
{
    char *at = to;
    bool is_value = false;
    for (const char *word = words, *end = words + len; word < end;) {
        size_t n = strnlen(word, (size_t)(end - word));
        if (word > words)
            *at++ = ' ';
        at = is_value ? put_instead(at) : put_word(s, at, word, n);
        is_value = !is_value && has_own(s->arguments) && is_in(options, OPTIONS, word, n);
        word += n + 1;
    }
    *at = '\0';
    return (size_t)(at - to);
}

size_t secret_split(char *text)
{
    size_t n = 0;
    for (const char *at = text; *at;) {
        size_t blanks = strspn(at, " \t\r\n"), len = strcspn(at + blanks, " \t\r\n");
        memmove(text + n, at + blanks, len);
        at += blanks + len;
        at += *at != '\0';
        n += len;
        if (len > 0)
            text[n++] = '\0';
    }
    return n;
}

size_t secret_room(const char *words, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += words[i] == '\0';
    return len + (count + 1) * SECRET_MORE + 1;
}
