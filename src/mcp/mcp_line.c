/*
 * mcp_line.c - see mcp_line.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mcp/mcp_line.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plain.h"
#include "base/rooted.h"

enum { TEXT_MAX = 16384, NAME_MAX_BYTES = 120 };

static const char *const type_words[] = {"a string", "an integer", "true or false",
                                         "an array of strings"};

static int fail(struct mcp_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int fail(struct mcp_line *line, const char *format, ...)
{
    char text[MCP_LINE_WHY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    plain_copy(line->why, sizeof(line->why), text);
    return -1;
}

/* Adds a word, which the line owns from now on. */
static int add(struct mcp_line *line, char *word)
{
    if (!word)
        return fail(line, "there is no memory");
    if (line->count + 1 >= MCP_LINE_WORDS) {
        free(word);
        return fail(line, "there are too many arguments");
    }
    line->words[line->count++] = word;
    return 0;
}

static int add_copy(struct mcp_line *line, const char *word)
{
    return add(line, strdup(word));
}

static int add_option(struct mcp_line *line, const char *option, const char *value)
{
    char *word = NULL;
    return add(line, asprintf(&word, "%s=%s", option, value) < 0 ? NULL : word);
}

static int add_file(struct mcp_line *line, const char *name, const struct mcp_reach *reach)
{
    if (line->file_count == MCP_LINE_FILES)
        return fail(line, "at most %d files can be read in one call", MCP_LINE_FILES);
    int fd = rooted_open(reach->root, name);
    if (fd < 0)
        return fail(line, "%s: %s; list_files tells which files there are", name,
                    fd == -EINVAL ? "not a regular file" : err_text(fd));
    struct mcp_line_file *file = &line->files[line->file_count++];
    *file = (struct mcp_line_file){.fd = fd, .name = strdup(name)};
    snprintf(file->fd_name, sizeof(file->fd_name), "/proc/self/fd/%d", fd);
    return file->name ? add_copy(line, file->fd_name) : fail(line, "there is no memory");
}

static int add_target(struct mcp_line *line, const char *word, const struct mcp_reach *reach)
{
    long pid = 0;
    char number[24];
    if (reach->find(word, reach->targets, &pid, line->why) < 0)
        return -1;
    snprintf(number, sizeof(number), "%ld", pid);
    return add_copy(line, number);
}

/* A new file has a plain name in the root folder itself, and replaces nothing. */
static int check_new_file(struct mcp_line *line, const char *name, const struct mcp_reach *reach)
{
    static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    struct stat st;
    if (*name == '\0' || *name == '.' || *name == '-' || strlen(name) > NAME_MAX_BYTES ||
        name[strspn(name, usual)] != '\0')
        return fail(line,
                    "%s: a new file has a name of letters, digits, dots, dashes and underscores, "
                    "without a folder",
                    name);
    if (fstatat(reach->root, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return fail(line, "%s is there already, and nothing is overwritten: choose another name",
                    name);
    return 0;
}

static bool is_one_of(const char *values, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = values; len > 0 && *at != '\0';) {
        size_t one = strcspn(at, " ");
        if (one == len && strncmp(at, word, len) == 0)
            return true;
        at += one + (at[one] == ' ');
    }
    return false;
}

/* The text of a string or number. Returns NULL after failing. */
static const char *text_of(struct mcp_line *line, const struct mcp_param *p,
                           const struct json_object *value, char number[32])
{
    bool is_right = mcp_json_is(value, p->type == MCP_INTEGER ? json_type_int : json_type_string);
    if (!is_right) {
        fail(line, "%s: %s is wanted", p->name, type_words[p->type]);
        return NULL;
    }
    if (p->type == MCP_INTEGER) {
        snprintf(number, 32, "%lld", (long long)json_object_get_int64(value));
        return number;
    }
    const char *text = json_object_get_string((struct json_object *)value);
    size_t len = (size_t)json_object_get_string_len(value);
    if (len > TEXT_MAX || strlen(text) != len) {
        fail(line, "%s: the text is too long, or has a character with the number 0", p->name);
        return NULL;
    }
    if (p->values && !is_one_of(p->values, text)) {
        fail(line, "%s: '%s' is none of: %s", p->name, text, p->values);
        return NULL;
    }
    return text;
}

static int add_files(struct mcp_line *line, const struct mcp_param *p,
                     const struct json_object *value, const struct mcp_reach *reach)
{
    char number[32];
    if (!mcp_json_is(value, json_type_array) || json_object_array_length(value) == 0)
        return fail(line, "%s: %s is wanted", p->name, type_words[p->type]);
    const struct mcp_param one = {.name = p->name, .type = MCP_STRING};
    for (size_t i = 0; i < json_object_array_length(value); i++) {
        const char *name = text_of(line, &one, json_object_array_get_idx(value, i), number);
        if (!name || add_file(line, name, reach) < 0)
            return -1;
    }
    return 0;
}

/* Options stand before "--", words after it. */
static int add_param(struct mcp_line *line, const struct mcp_param *p,
                     const struct json_object *value, const struct mcp_reach *reach,
                     bool wants_options)
{
    char number[32];
    bool is_option =
        p->as == MCP_OPTION || p->as == MCP_SWITCH || (p->as == MCP_NEW_FILE && p->option);
    if (is_option != wants_options)
        return 0;
    if (p->as == MCP_SWITCH) {
        if (!mcp_json_is(value, json_type_boolean))
            return fail(line, "%s: %s is wanted", p->name, type_words[p->type]);
        return json_object_get_boolean(value) ? add_copy(line, p->option) : 0;
    }
    if (p->as == MCP_FILES)
        return add_files(line, p, value, reach);
    const char *text = text_of(line, p, value, number);
    if (!text)
        return -1;
    if (p->as == MCP_FILE)
        return add_file(line, text, reach);
    if (p->as == MCP_TARGET)
        return add_target(line, text, reach);
    if (p->as == MCP_NEW_FILE && check_new_file(line, text, reach) < 0)
        return -1;
    return p->option ? add_option(line, p->option, text) : add_copy(line, text);
}

static int add_params(struct mcp_line *line, const struct mcp_tool *tool,
                      const struct json_object *arguments, const struct mcp_reach *reach,
                      bool wants_options)
{
    int error = 0;
    for (const struct mcp_param *p = tool->params; error == 0 && p->name; p++) {
        const struct json_object *value = mcp_json_get(arguments, p->name);
        if (value)
            error = add_param(line, p, value, reach, wants_options);
        else if (p->is_required)
            error = fail(line, "%s is missing: %s", p->name, p->about);
    }
    return error;
}

/* A name that the tool does not know is an error: what it was to change would not be changed. */
static int check_names(struct mcp_line *line, const struct mcp_tool *tool,
                       const struct json_object *arguments)
{
    if (!arguments)
        return 0;
    struct json_object_iterator at = json_object_iter_begin((struct json_object *)arguments);
    struct json_object_iterator end = json_object_iter_end(arguments);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *key = json_object_iter_peek_name(&at);
        const struct mcp_param *p = tool->params;
        while (p->name && strcmp(p->name, key) != 0)
            p++;
        if (!p->name)
            return fail(line, "%s has no parameter '%s'", tool->name, key);
    }
    return 0;
}

static int add_words(struct mcp_line *line, const struct mcp_tool *tool,
                     const struct mcp_reach *reach)
{
    static const char place[] = "{tmp}";
    int error = add_copy(line, "hprof");
    for (const char *const *word = tool->words; error == 0 && *word; word++) {
        const char *at = strstr(*word, place);
        char *text = NULL;
        if (at && asprintf(&text, "%.*s%s", (int)(at - *word), *word, reach->tmp) < 0)
            text = NULL;
        error = at ? add(line, text) : add_copy(line, *word);
    }
    return error;
}

int mcp_line_make(struct mcp_line *line, const struct mcp_tool *tool,
                  const struct json_object *arguments, const struct mcp_reach *reach)
{
    *line = (struct mcp_line){.count = 0};
    if (arguments && !mcp_json_is(arguments, json_type_object))
        return fail(line, "the arguments are no object");
    int error = check_names(line, tool, arguments);
    if (error == 0 && tool->words)
        error = add_words(line, tool, reach);
    if (error == 0)
        error = add_params(line, tool, arguments, reach, true);
    if (error == 0)
        error = add_copy(line, "--");
    if (error == 0)
        error = add_params(line, tool, arguments, reach, false);
    return error;
}

void mcp_line_done(struct mcp_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        free(line->words[i]);
    for (size_t i = 0; i < line->file_count; i++) {
        close(line->files[i].fd);
        free(line->files[i].name);
    }
    line->count = line->file_count = 0;
}
