/*
 * headroom_text.c - see headroom_text.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/headroom_text.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Version 1 says "no limit" with a number that is not below this one. */
static const uint64_t far_too_much = (uint64_t)1 << 62;

const struct headroom_text_files headroom_text_files[HEADROOM_TEXT_VERSIONS] = {
    [1] = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file",
           "total_inactive_file", "total_dirty", "total_writeback"},
    [2] = {"memory.max", "memory.current", "active_file", "inactive_file", "file_dirty",
           "file_writeback"},
};

char *headroom_text_line(FILE *f, char line[HEADROOM_TEXT_LINE])
{
    bool is_rest = false;
    while (f && fgets(line, HEADROOM_TEXT_LINE, f)) {
        char *end = strchr(line, '\n');
        bool is_whole = end && !is_rest;
        is_rest = !end;
        if (is_whole) {
            *end = '\0';
            return line;
        }
    }
    return NULL;
}

/* Whether `word` is in a list whose words are separated by commas. */
static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (; list; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, word, n) == 0 && (list[n] == ',' || list[n] == '\0'))
            return true;
    }
    return false;
}

void headroom_text_group(char *line, struct headroom_text_groups *groups)
{
    char *list = strchr(line, ':');
    char *path = list ? strchr(list + 1, ':') : NULL;
    int version;
    if (!path)
        return;
    *path++ = '\0';
    /* The line of version 2 has an empty list of controllers. */
    version = list[1] == '\0' ? 2 : has_word(list + 1, "memory");
    if (version)
        snprintf(groups->paths[version], sizeof(groups->paths[version]), "%s", path);
}

/* The path from the mount to the group. In a container the mount may be the group itself; then the
 * path is "". */
static const char *below(const char *root, const char *path)
{
    size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
    if (strncmp(path, root, n) != 0 || (path[n] != '/' && path[n] != '\0'))
        return "";
    return strstr(path + n, "/..") || strcmp(path + n, "/") == 0 ? "" : path + n;
}

/* In mountinfo a space, a tab, a line end and a backslash are written as a backslash and three
 * octal digits. */
static void undo_escapes(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        unsigned digits[3] = {(unsigned char)from[1], 0, 0};
        for (int i = 1; i < 3 && digits[i - 1]; i++)
            digits[i] = (unsigned char)from[i + 1];
        if (*from == '\\' && digits[0] - '0' < 4 && digits[1] - '0' < 8 && digits[2] - '0' < 8 &&
            digits[0] + digits[1] + digits[2] > 3 * '0') {
            *to = (char)((digits[0] - '0') << 6 | (digits[1] - '0') << 3 | (digits[2] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* Split off the first `count` words of a text. Returns 0 if the text has fewer. */
static int split(char *text, char **ret_words, int count)
{
    char *rest = NULL;
    for (int i = 0; i < count; i++) {
        ret_words[i] = strtok_r(i ? NULL : text, " ", &rest);
        if (!ret_words[i])
            return 0;
    }
    return 1;
}

/* A line is: "ID PARENT DEVICE ROOT MOUNT OPTIONS [MORE...] - TYPE SOURCE OPTIONS". */
int headroom_text_mount(char *line, const struct headroom_text_groups *groups,
                        struct headroom_text_mount *ret_mount)
{
    enum { ROOT = 3, MOUNT, FIRST_FIELDS, TYPE = 0, OPTIONS = 2, LAST_FIELDS };
    char *first[FIRST_FIELDS], *last[LAST_FIELDS];
    char *after = strstr(line, " - ");
    int version = 0;
    if (!after)
        return 0;
    *after = '\0';
    if (!split(line, first, FIRST_FIELDS) || !split(after + 3, last, LAST_FIELDS))
        return 0;
    if (strcmp(last[TYPE], "cgroup2") == 0)
        version = 2;
    else if (strcmp(last[TYPE], "cgroup") == 0 && has_word(last[OPTIONS], "memory"))
        version = 1;
    if (!version || !groups->paths[version][0])
        return 0;
    undo_escapes(first[ROOT]);
    undo_escapes(first[MOUNT]);
    *ret_mount = (struct headroom_text_mount){
        .version = version,
        .folder = first[MOUNT],
        .way = below(first[ROOT], groups->paths[version]),
    };
    return 1;
}

uint64_t headroom_text_limit(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    /* The text may be "max", or have no number. */
    return end == text || value >= far_too_much ? UINT64_MAX : value;
}

uint64_t headroom_text_number(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, n) == 0 && (line[n] == ' ' || line[n] == ':'))
            return strtoull(line + n + 1, NULL, 10);
    }
    return 0;
}
