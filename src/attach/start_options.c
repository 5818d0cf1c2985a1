/*
 * start_options.c - see start_options.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/start_options.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attach/main_class.h"
#include "process/process.h"

enum { TEXT_MAX = 2 << 20, OPTION_MAX = 128 };

/* The variables in the order in which the JVM reads them; a later option overrides an earlier
 * one. */
static const char *const before_line[] = {"JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS="};
static const char *const behind_line[] = {"_JAVA_OPTIONS="};

/* A search: the last of the words `on` and `off` decides. */
struct search {
    const char *on, *off; /* `off` may be NULL */
    bool is_on;
};

static void look_at(struct search *s, const char *word, size_t len)
{
    if (strlen(s->on) == len && memcmp(word, s->on, len) == 0)
        s->is_on = true;
    else if (s->off && strlen(s->off) == len && memcmp(word, s->off, len) == 0)
        s->is_on = false;
}

/* Look at the words of a variable, which are separated by white space. Quotation marks are not
 * interpreted: none of the options that are searched has any. */
static void look_at_value(struct search *s, const char *value)
{
    static const char blanks[] = " \t\n\v\f\r";
    for (const char *word = value + strspn(value, blanks); *word != '\0';
         word += strspn(word, blanks)) {
        size_t len = strcspn(word, blanks);
        look_at(s, word, len);
        word += len;
    }
}

static void look_at_variables(struct search *s, const char *environment, size_t len,
                              const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t front = strlen(names[i]);
        for (const char *at = environment; at && at < environment + len; at += strlen(at) + 1)
            if (strncmp(at, names[i], front) == 0)
                look_at_value(s, at + front);
    }
}

bool start_options_last_is(const struct start_options_text *t, const char *on, const char *off)
{
    struct search s = {.on = on, .off = off};
    const char *end = t->line + main_class_options_len(t->line, t->line_len);
    look_at_variables(&s, t->environment, t->environment_len, before_line,
                      sizeof(before_line) / sizeof(char *));
    for (const char *word = t->line; word < end; word += strlen(word) + 1)
        look_at(&s, word, strlen(word));
    look_at_variables(&s, t->environment, t->environment_len, behind_line,
                      sizeof(behind_line) / sizeof(char *));
    return s.is_on;
}

static bool search(pid_t task, const char *on, const char *off)
{
    char *environment = NULL, *line = NULL;
    ssize_t environment_len = process_file(task, "environ", TEXT_MAX, &environment);
    ssize_t line_len = process_file(task, "cmdline", TEXT_MAX, &line);
    const struct start_options_text text = {
        .line = line_len < 0 ? "" : line,
        .environment = environment_len < 0 ? "" : environment,
        .line_len = line_len < 0 ? 0 : (size_t)line_len,
        .environment_len = environment_len < 0 ? 0 : (size_t)environment_len,
    };
    bool is_on = start_options_last_is(&text, on, off);
    if (line_len >= 0)
        free(line);
    if (environment_len >= 0)
        free(environment);
    return is_on;
}

bool start_options_have(pid_t task, const char *option)
{
    return search(task, option, NULL);
}

bool start_options_have_flag(pid_t task, const char *name)
{
    char on[OPTION_MAX], off[OPTION_MAX];
    snprintf(on, sizeof(on), "-XX:+%s", name);
    snprintf(off, sizeof(off), "-XX:-%s", name);
    return search(task, on, off);
}
