/*
 * jvmpi_options.c - see jvmpi_options.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_options.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "base/err.h"

/* An option with two words, the first of which is the default. An option without words takes any
 * text. */
static const struct row {
    const char *name;
    const char *words[2];
    size_t place; /* offset of a bool, or of a text */
} rows[] = {
    {"classname", {"dot", "slash"}, offsetof(struct jvmpi_options, names_have_slashes)},
    {"cputime", {"cpu", "wall"}, offsetof(struct jvmpi_options, times_are_wall)},
    {"natives", {"n", "y"}, offsetof(struct jvmpi_options, has_natives)},
    {"include", {NULL}, offsetof(struct jvmpi_options, filter.include)},
    {"exclude", {NULL}, offsetof(struct jvmpi_options, filter.exclude)},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void say_unknown(const char *name, char error[JVMPI_OPTIONS_ERROR])
{
    int used = snprintf(error, JVMPI_OPTIONS_ERROR, "there is no option \"%.80s\": ", name);
    for (const struct row *row = rows; row < rows + ROWS; row++)
        used += snprintf(error + used, JVMPI_OPTIONS_ERROR - (size_t)used, "%s=, ", row->name);
    snprintf(error + used, JVMPI_OPTIONS_ERROR - (size_t)used, "and agent= as the last");
}

static int set(struct jvmpi_options *o, const char *name, const char *value,
               char error[JVMPI_OPTIONS_ERROR])
{
    const struct row *row = rows;
    while (row < rows + ROWS && strcmp(row->name, name) != 0)
        row++;
    if (row == rows + ROWS) {
        say_unknown(name, error);
        return E_SYNTAX;
    }
    if (!row->words[0]) {
        *(const char **)((char *)o + row->place) = value;
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        if (strcmp(value, row->words[i]) == 0) {
            *(bool *)((char *)o + row->place) = i;
            return 0;
        }
    }
    snprintf(error, JVMPI_OPTIONS_ERROR, "%s= is %s or %s, not \"%s\"", name, row->words[0],
             row->words[1], value);
    return E_SYNTAX;
}

/* Read an agent's name, and its options after a colon. */
static int read_agent(char *text, char **ret_agent, char **ret_options,
                      char error[JVMPI_OPTIONS_ERROR])
{
    size_t len = strcspn(text, ":");
    *ret_options = text + len + (text[len] == ':');
    text[len] = '\0';
    *ret_agent = text;
    if (len > 0)
        return 0;
    snprintf(error, JVMPI_OPTIONS_ERROR, "the name of an agent is missing");
    return E_SYNTAX;
}

int jvmpi_options_read(char *text, struct jvmpi_options *o, char **ret_agent,
                       char **ret_agent_options, char error[JVMPI_OPTIONS_ERROR])
{
    *ret_agent = NULL;
    *ret_agent_options = NULL;
    while (text && *text) {
        size_t name = strcspn(text, "=:,");
        char *value = text + name + 1;
        size_t len;
        int problem;
        if (text[name] == ',') {
            snprintf(error, JVMPI_OPTIONS_ERROR, "\"%.*s\" has no value", (int)name, text);
            return E_SYNTAX;
        }
        if (text[name] != '=')
            return read_agent(text, ret_agent, ret_agent_options, error);
        text[name] = '\0';
        if (strcmp(text, "agent") == 0)
            return read_agent(value, ret_agent, ret_agent_options, error);
        len = strcspn(value, ",");
        name = value[len] == ',';
        value[len] = '\0';
        problem = set(o, text, value, error);
        if (problem)
            return problem;
        text = value + len + name;
    }
    return 0;
}
