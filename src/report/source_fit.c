/*
 * source_fit.c - see source_fit.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/source_fit.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/source.h"

static bool is_word(const char *text, const char *word)
{
    size_t len = strlen(word);
    return strncmp(text, word, len) == 0 && (text[len] == ' ' || text[len] == '\t');
}

/* The state at the beginning or end of a line. */
enum within { WITHIN_CODE, WITHIN_COMMENT, WITHIN_TEXT };

static const char *behind(const char *text, const char *end)
{
    const char *found = strstr(text, end);
    return found ? found + strlen(end) : NULL;
}

/* The first code in a line. NULL: the line has only blanks and comments; the last comment may
 * continue in the next line. */
static const char *find_code(const char *text, enum within *within)
{
    while (text) {
        if (*within == WITHIN_COMMENT && !(text = behind(text, "*/")))
            return NULL;
        *within = WITHIN_CODE;
        text += strspn(text, " \t\r\n\f");
        if (*text == '\0' || strncmp(text, "//", 2) == 0)
            return NULL;
        if (strncmp(text, "/*", 2) != 0)
            return text;
        text += 2;
        *within = WITHIN_COMMENT;
    }
    return NULL;
}

/* The state at the end of a line that begins with code. */
static enum within end_of(const char *text)
{
    while (text && *text != '\0') {
        if (strncmp(text, "//", 2) == 0)
            return WITHIN_CODE;
        if (strncmp(text, "/*", 2) == 0) {
            if (!(text = behind(text + 2, "*/")))
                return WITHIN_COMMENT;
        } else if (strncmp(text, "\"\"\"", 3) == 0) {
            if (!(text = behind(text + 3, "\"\"\"")))
                return WITHIN_TEXT;
        } else if (*text == '"' || *text == '\'') {
            char quote = *text++;
            while (*text != '\0' && *text != quote)
                text += *text == '\\' && text[1] != '\0' ? 2 : 1;
            text += *text != '\0';
        } else {
            text++;
        }
    }
    return WITHIN_CODE;
}

/* Whether a line has code. *within is the state before the line, and then the state after it. */
static bool has_code(const char *text, enum within *within)
{
    if (*within == WITHIN_TEXT) {
        const char *rest = behind(text, "\"\"\"");
        *within = rest ? end_of(rest) : WITHIN_TEXT;
        return true;
    }
    text = find_code(text, within);
    if (text)
        *within = end_of(text);
    return text && !is_word(text, "import") && !is_word(text, "package");
}

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool names(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += len)
        if ((at == text || !is_part_of_name(at[-1])) && !is_part_of_name(at[len]))
            return true;
    return false;
}

/* Marks the calls whose line contains the name of the method. A call has the line of its
 * parenthesis. Source: javac, Gen.visitApply(). */
static void mark_calls(const struct source *s, int32_t line, const char *text, bool *is_named)
{
    for (size_t i = 0; i < s->call_count; i++)
        if (s->calls[i].line == line)
            is_named[i] = names(text, s->calls[i].name);
}

/* The first line that does not contain the name of the method that it calls, if this is true for
 * most calls; 0: it is true for few. */
static int32_t find_unnamed(const struct source *s, const bool *is_named)
{
    size_t missing = 0;
    int32_t line = 0;
    for (size_t i = 0; i < s->call_count; i++) {
        missing += !is_named[i];
        if (!is_named[i] && (line == 0 || s->calls[i].line < line))
            line = s->calls[i].line;
    }
    return missing * 2 > s->call_count ? line : 0;
}

int32_t source_fit(const struct source *s, const char *path)
{
    FILE *in = fopen(path, "re");
    bool *is_named = calloc(s->call_count + 1, sizeof(*is_named));
    enum within within = WITHIN_CODE;
    int32_t line = 1, found = 0;
    char *text = NULL;
    size_t room = 0;
    if (!in || !is_named) {
        found = in ? -ENOMEM : -errno;
        goto out;
    }
    for (; line < SOURCE_LINES && getline(&text, &room, in) >= 0; line++) {
        if (!has_code(text, &within) && s->total[line] && found == 0)
            found = line;
        mark_calls(s, line, text, is_named);
    }
    for (; line < SOURCE_LINES && found == 0; line++)
        if (s->total[line])
            found = line;
    if (found == 0)
        found = find_unnamed(s, is_named);
out:
    free(is_named);
    free(text);
    if (in)
        fclose(in);
    return found;
}
