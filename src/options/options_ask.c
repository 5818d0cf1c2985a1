/*
 * options_ask.c - see options_ask.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_ask.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/nearest.h"
#include "options/options_group.h"

enum {
    WORDS_MAX = 32,
    WORD_SIZE = 128,
};

static const char joiners[] = "+,";

/* Appends "a|b" to `text`. */
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

/* Names of other profilers for events that are not measured here, or that have another meaning
 * here. */
static const struct {
    const char *word, *hint;
} foreign[] = {
    {"itimer", "CPU time is measured by cpu, with a timer for each thread"},
    {"ctimer", "CPU time is measured by cpu; the timer is timer=ctimer"},
    {"perf", "CPU time is measured by cpu; the timer is timer=perf"},
    {"malloc", "memory of native code is measured by nativemem"},
    {"offcpu", "hprof probe --stack PID trace offcpu shows waits, and who ended them"},
};

/* Adds what to write instead of a word of another profiler, or instead of WORD:VALUE. Returns
 * whether there is such a hint. */
static bool add_hint(const char *option, const char *word, char *ret_why, size_t size)
{
    size_t n = strlen(ret_why), front = strcspn(word, ":");
    char name[WORD_SIZE];
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        if (strcmp(foreign[i].word, word) != 0)
            continue;
        snprintf(ret_why + n, size - n, "; %s", foreign[i].hint);
        return true;
    }
    snprintf(name, sizeof(name), "%.*s", (int)front, word);
    if (word[front] != ':' || front == 0 || !options_group_ask(NULL, option, name, true))
        return false;
    snprintf(ret_why + n, size - n, "; the value stands apart: %s=%s and %s=%s", option, name,
             strcmp(name, "cpu") == 0 ? "interval" : name, word + front + 1);
    return true;
}

/* Writes why `word` is no word of this option. */
static void say_unknown(const char *option, const char *word, char *ret_why, size_t size)
{
    const char *words[WORDS_MAX + 1], *near;
    size_t n;
    words[options_group_words(option, words, WORDS_MAX)] = NULL;
    near = nearest(word, words);
    snprintf(ret_why, size, "no %s %s: use ", option, word[0] ? word : "''");
    options_row_list(ret_why, size, words);
    n = strlen(ret_why);
    if (n < size)
        n += (size_t)snprintf(ret_why + n, size - n, ", or an event of perf, such as page-faults");
    if (n < size && !add_hint(option, word, ret_why, size) && near)
        snprintf(ret_why + n, size - n, "; did you mean %s?", near);
}

/* Errors: 0; E_NOT_FOUND; E_SYNTAX with the reason in `ret_why`. */
static int ask_word(struct options_own *own, const char *option, const char *word, char *ret_why,
                    size_t size)
{
    char front[WORD_SIZE];
    snprintf(front, sizeof(front), "%.*s", (int)strcspn(word, ":"), word);
    bool is_listed = options_group_ask(NULL, option, front, true); /* also of cpu:1ms */
    int error = is_listed ? E_NOT_FOUND : options_group_take_word(own, word, ret_why, size);
    if (error == E_NOT_FOUND && options_group_ask(own, option, word, true))
        error = 0;
    return error;
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
        int error =
            len < sizeof(word) ? ask_word(own, row->name, word, ret_why, size) : E_NOT_FOUND;
        if (error == E_NOT_FOUND)
            say_unknown(row->name, word, ret_why, size);
        if (error)
            return E_SYNTAX;
        if (!value[len])
            return 0;
        value += len + 1;
    }
}
