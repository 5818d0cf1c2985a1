/*
 * options_ask.c - see options_ask.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_ask.h"
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/nearest.h"
#include "options/options_group.h"

enum {
    WORDS_MAX = 32,
    WORD_SIZE = 32,
};

static const char joiners[] = "+,";

/* Writes "a|b" behind `text`. */
static void add_words(const struct options_row *row, char *text, size_t size)
{
    const char *words[WORDS_MAX];
    int count = options_group_words(row->name, words, WORDS_MAX);
    size_t n = strlen(text);

    for (int i = 0; i < count && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? "|" : "", words[i]);
    if (row->values && n < size)
        snprintf(text + n, size - n, "%s", row->values);
}

void options_ask_words(const struct options_row *row, char *ret, size_t size)
{
    ret[0] = '\0';
    add_words(row, ret, size);
}

int options_ask_one(struct options_own *own, const struct options_row *row, const char *value,
                    char *ret_why, size_t size)
{
    const char *first = row->what ? row->what : "";

    if (value[0] && options_group_ask(own, row->name, value, false))
        return 0;
    if (!value[0] && row->missing)
        snprintf(ret_why, size, "%s%s=%s", row->missing, row->name, first);
    else
        snprintf(ret_why, size, "%s option value must be %s", row->name, first);
    add_words(row, ret_why, size);
    return E_SYNTAX;
}

static const char *nearest(const char *word, const char *const *words)
{
    unsigned best = NEAREST_FAR;
    const char *found = NULL;

    for (int i = 0; words[i]; i++) {
        unsigned distance = nearest_distance(word, words[i]);

        if (distance < best) {
            best = distance;
            found = words[i];
        }
    }
    return found;
}

/* Why `word` is no word of this option. */
static void say_unknown(const char *option, const char *word, char *ret_why, size_t size)
{
    const char *words[WORDS_MAX + 1], *near;
    size_t n;

    words[options_group_words(option, words, WORDS_MAX)] = NULL;
    near = nearest(word, words);
    snprintf(ret_why, size, "no %s %s: use ", option, word[0] ? word : "''");
    options_row_list(ret_why, size, words);
    n = strlen(ret_why);
    if (near && n < size)
        snprintf(ret_why + n, size - n, "; did you mean %s?", near);
}

int options_ask_some(struct options_own *own, const struct options_row *row, const char *value,
                     char *ret_why, size_t size)
{
    char word[WORD_SIZE];

    if (!value[0]) {
        snprintf(ret_why, size, "%s", row->missing);
        return E_SYNTAX;
    }
    for (;;) {
        size_t len = strcspn(value, joiners);

        snprintf(word, sizeof(word), "%.*s", (int)len, value);
        if (len >= sizeof(word) || !options_group_ask(own, row->name, word, true)) {
            say_unknown(row->name, word, ret_why, size);
            return E_SYNTAX;
        }
        if (!value[len])
            return 0;
        value += len + 1;
    }
}
