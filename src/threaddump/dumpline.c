/*
 * dumpline.c - see dumpline.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumpline.h"
#include <ctype.h>
#include <string.h>

enum { PREFIX_MAX = 200, TIME_MIN = 19 };

const char *dumpline_find(struct threaddump_text text, const char *word)
{
    return text.len > 0 ? memmem(text.at, text.len, word, strlen(word)) : NULL;
}

bool dumpline_begins(struct threaddump_text text, const char *word)
{
    size_t len = strlen(word);
    return text.len >= len && memcmp(text.at, word, len) == 0;
}

bool dumpline_is_number(struct threaddump_text line)
{
    for (size_t i = 0; i < line.len; i++)
        if (!isdigit((unsigned char)line.at[i]))
            return false;
    return line.len > 0;
}

bool dumpline_is_time(struct threaddump_text line)
{
    static const char shape[] = "0000-00-00 00:00:00";
    for (size_t i = 0; i < TIME_MIN; i++) {
        if (i >= line.len)
            return false;
        bool fits = shape[i] == '0'   ? isdigit((unsigned char)line.at[i]) != 0
                    : shape[i] == ' ' ? line.at[i] == ' ' || line.at[i] == 'T'
                                      : line.at[i] == shape[i];
        if (!fits)
            return false;
    }
    return line.len < (size_t)2 * TIME_MIN;
}

static int class_of(char c)
{
    return isdigit((unsigned char)c) ? '0' : isalpha((unsigned char)c) ? 'a' : (unsigned char)c;
}

bool dumpline_cut_prefix(struct threaddump_text *line, struct threaddump_text prefix)
{
    if (prefix.len > PREFIX_MAX || line->len < prefix.len)
        return false;
    for (size_t i = 0; i < prefix.len; i++)
        if (class_of(line->at[i]) != class_of(prefix.at[i]))
            return false;
    line->at += prefix.len;
    line->len -= prefix.len;
    return true;
}

static struct threaddump_text trimmed(struct threaddump_text t)
{
    while (t.len > 0 && (isspace((unsigned char)t.at[t.len - 1]) != 0))
        t.len--;
    while (t.len > 0 && (isspace((unsigned char)*t.at) != 0)) {
        t.at++;
        t.len--;
    }
    return t;
}

/* "NAME" with what only the first line of a thread has behind it. */
static bool is_head(struct threaddump_text line)
{
    static const char *const nexts[] = {"\" #", "\" os_prio=", "\" prio=", "\" daemon "};
    for (size_t i = 0; i < sizeof(nexts) / sizeof(nexts[0]); i++)
        if (dumpline_find(line, nexts[i]))
            return true;
    return false;
}

/* #12 "NAME" ..., or with the word Thread in front. */
static bool is_file_head(struct threaddump_text line)
{
    size_t at = dumpline_begins(line, "Thread ") ? strlen("Thread ") : 0, digits = 0;
    if (at >= line.len || line.at[at++] != '#')
        return false;
    while (at + digits < line.len && isdigit((unsigned char)line.at[at + digits]))
        digits++;
    at += digits;
    return digits > 0 && line.len - at >= 3 && line.at[at] == ' ' && line.at[at + 1] == '"' &&
           memchr(line.at + at + 2, '"', line.len - at - 2);
}

/* "java.io.IOException: text", with "Caused by: " or a time in front: its first word that has dots
 * ends in one of the usual words. */
static bool is_throwable(struct threaddump_text line)
{
    static const char *const ends[] = {"Exception", "Error", "Throwable"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        const char *at = dumpline_find(line, ends[i]);
        const char *end = line.at + line.len;
        if (at && (at + strlen(ends[i]) == end || strchr(": ", at[strlen(ends[i])])))
            return true;
    }
    return false;
}

struct word {
    const char *word;
    enum dumpline line;
    size_t cut; /* so many bytes in front are not a part of the text */
};

static const struct word words[] = {
    {"at ", DUMPLINE_FRAME, 3},
    {"- ", DUMPLINE_LOCK, 2},
    {"java.lang.Thread.State: ", DUMPLINE_STATE, 24},
    {"Locked ownable synchronizers:", DUMPLINE_OWNED, 0},
    {"Carrying virtual thread #", DUMPLINE_MORE, 0},
    {"No compile task", DUMPLINE_MORE, 0},
    {"Compiling:", DUMPLINE_MORE, 0},
    {"Threads class SMR info:", DUMPLINE_MORE, 0},
    {"_java_thread_list", DUMPLINE_MORE, 0},
    {"JNI global ref", DUMPLINE_END, 0},
    {"Found one Java-level deadlock:", DUMPLINE_DEADLOCK, 0},
    {"Java stack information for", DUMPLINE_DEADLOCK, 0},
    {"waiting to lock ", DUMPLINE_DEADLOCK, 0},
    {"waiting for ownable synchronizer ", DUMPLINE_DEADLOCK, 0},
    {"which is held by ", DUMPLINE_DEADLOCK, 0},
};

/* A log has lines that begin with "at" or a dash, too. */
static bool is_whole(struct threaddump_text text, enum dumpline line)
{
    if (line == DUMPLINE_FRAME)
        return memchr(text.at, '(', text.len) && memchr(text.at, ')', text.len);
    if (line == DUMPLINE_LOCK)
        return memchr(text.at, '<', text.len) || dumpline_begins(text, "- None") ||
               dumpline_begins(text, "- lock is eliminated");
    return true;
}

enum dumpline dumpline_of(struct threaddump_text line, struct threaddump_text *ret_text)
{
    struct threaddump_text text = trimmed(line);
    *ret_text = text;
    if (text.len == 0)
        return DUMPLINE_BLANK;
    if (*text.at == '"')
        return is_head(text)                                                   ? DUMPLINE_HEAD
               : text.len > 3 && memcmp(text.at + text.len - 2, "\":", 2) == 0 ? DUMPLINE_DEADLOCK
                                                                               : DUMPLINE_FOREIGN;
    if (dumpline_begins(text, "Full thread dump"))
        return DUMPLINE_BEGIN;
    if (is_file_head(text))
        return DUMPLINE_FILE_HEAD;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!dumpline_begins(text, words[i].word))
            continue;
        if (!is_whole(text, words[i].line))
            return DUMPLINE_FOREIGN;
        ret_text->at += words[i].cut;
        ret_text->len -= words[i].cut;
        return words[i].line;
    }
    if (dumpline_begins(text, "Found ") && dumpline_find(text, " deadlock"))
        return DUMPLINE_DEADLOCK;
    return is_throwable(text) ? DUMPLINE_THROWABLE : DUMPLINE_FOREIGN;
}
