/*
 * candidates.c - see candidates.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/candidates.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "command/say.h"

enum { WORD_BYTES = 128 };

static const char plain_characters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=/@%#:,";

void candidates_in_list(struct candidates *c)
{
    for (const char *at; (at = strpbrk(c->word + c->front, ",+")) != NULL;)
        c->front = (size_t)(at + 1 - c->word);
}

static bool is_plain(const char *text)
{
    size_t len = strspn(text, plain_characters);
    return len > 0 && text[len] == '\0' && text[0] != ':';
}

void candidates_add(struct candidates *c, const char *text, const char *about)
{
    const char *typed = c->word + c->front;
    if (strncmp(text, typed, strlen(typed)) != 0 || !is_plain(text))
        return;
    say_out("%.*s%s", (int)c->front, c->word, text);
    if (about)
        putchar('\t');
    say_out("%s", about ? about : "");
    putchar('\n');
}

void candidates_add_alternatives(struct candidates *c, const char *text)
{
    static const char no_literal[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ<[ ";
    char word[WORD_BYTES];
    for (;;) {
        size_t len = strcspn(text, "|");
        snprintf(word, sizeof(word), "%.*s", (int)len, text);
        if (!strpbrk(word, no_literal))
            candidates_add(c, word, NULL);
        if (text[len] == '\0')
            return;
        text += len + 1;
    }
}

/* Names of files are completed by the shell, which must know where they begin. */
static void say_where(const struct candidates *c)
{
    if (c->front > 0)
        printf(":from %zu\n", c->front);
}

void candidates_add_files(const struct candidates *c, const char *suffixes)
{
    say_where(c);
    say_out(":files%s%s", *suffixes != '\0' ? " " : "", suffixes);
    putchar('\n');
}

void candidates_add_folders(const struct candidates *c)
{
    say_where(c);
    puts(":folders");
}

void candidates_hand_over(int at)
{
    printf(":command %d\n", at);
}

void candidates_no_space(void)
{
    puts(":nospace");
}
