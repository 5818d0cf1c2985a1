/*
 * options_command.c - see options_command.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_command.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/units.h"
#include "safe/clock.h"

/* The items that a command accepts besides answer= and protocol=. */
static const struct word {
    const char *text;
    bool has_name, has_which, has_options; /* the item name=; the items id= and file=; options */
    bool has_trim;                         /* the item trim= */
} words[] = {
    [OPTIONS_COMMAND_NONE] = {""},
    [OPTIONS_COMMAND_START] = {"start", .has_name = true, .has_options = true},
    [OPTIONS_COMMAND_STOP] = {"stop", .has_name = true, .has_which = true},
    [OPTIONS_COMMAND_DUMP] = {"dump", .has_name = true, .has_which = true},
    [OPTIONS_COMMAND_STATUS] = {"status", .has_name = true, .has_which = true},
    [OPTIONS_COMMAND_LIST] = {"list"},
    [OPTIONS_COMMAND_MALLOC] = {"malloc", .has_trim = true},
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

/* A piece of the line, without a final 0. */
struct item {
    const char *text;
    size_t len;
};

const char *options_command_text(enum options_command_word word)
{
    return words[word].text;
}

/* Keeps the text of the first error. */
static int fail(struct options_error *e, const char *command, const char *what, struct item item)
{
    if (!e->text[0])
        snprintf(e->text, sizeof(e->text), "%s: %s: %.*s", command, what, (int)item.len, item.text);
    return E_SYNTAX;
}

/* Whether `item` is NAME=VALUE with this name. If so, *ret_value is its value. */
static bool is_named(struct item item, const char *name, struct item *ret_value)
{
    size_t len = strlen(name);
    if (item.len <= len || memcmp(item.text, name, len) != 0 || item.text[len] != '=')
        return false;
    *ret_value = (struct item){item.text + len + 1, item.len - len - 1};
    return true;
}

/* Copies `value` to `to`. Returns whether it is not empty and fits. */
static bool keep(char *to, size_t size, struct item value)
{
    if (value.len == 0 || value.len >= size)
        return false;
    memcpy(to, value.text, value.len);
    to[value.len] = '\0';
    return true;
}

static bool is_yes(struct item value)
{
    return value.len == 1 && *value.text == 'y';
}

static bool keep_number(unsigned *to, struct item value)
{
    char text[8], *end;
    bool has_digits = keep(text, sizeof(text), value) && strspn(text, "0123456789") == value.len;
    if (has_digits)
        *to = (unsigned)strtoul(text, &end, 10);
    return has_digits && *to > 0;
}

static bool keep_time(uint64_t *to, struct item value)
{
    char text[32];
    return keep(text, sizeof(text), value) && units_parse_duration(text, NS_PER_S, to) == 0 &&
           *to > 0;
}

static void keep_option(struct options_command *c, struct item item)
{
    size_t len = strlen(c->options);
    if (len)
        c->options[len++] = ',';
    memcpy(c->options + len, item.text, item.len);
    c->options[len + item.len] = '\0';
}

static int take_item(struct options_command *c, struct item item, struct options_error *e)
{
    const struct word *w = &words[c->word];
    bool is_bare = !memchr(item.text, '=', item.len) && item.len > 0;
    struct item value;
    if (is_named(item, "answer", &value))
        return keep(c->answer, sizeof(c->answer), value) ? 0 : fail(e, w->text, "no path", item);
    if (is_named(item, "protocol", &value))
        return keep_number(&c->protocol, value) ? 0 : fail(e, w->text, "no version", item);
    if (w->has_name && (is_named(item, "name", &value) || (is_bare && !w->has_options))) {
        value = is_bare ? item : value;
        return keep(c->name, sizeof(c->name), value) ? 0 : fail(e, w->text, "no name", item);
    }
    if (w->has_options && is_named(item, "lease", &value))
        return keep_time(&c->lease_ns, value) ? 0 : fail(e, w->text, "no time", item);
    if (w->has_options && is_named(item, "held", &value)) {
        c->is_held = is_yes(value);
        return c->is_held ? 0 : fail(e, w->text, "only held=y", item);
    }
    if (w->has_trim && is_named(item, "trim", &value)) {
        c->trims = is_yes(value);
        return c->trims ? 0 : fail(e, w->text, "only trim=y", item);
    }
    if (w->has_which && is_named(item, "id", &value))
        return keep_number(&c->id, value) ? 0 : fail(e, w->text, "no number", item);
    if (w->has_which && is_named(item, "file", &value))
        return keep(c->file, sizeof(c->file), value) ? 0 : fail(e, w->text, "no path", item);
    if (!w->has_options)
        return fail(e, w->text, "unknown item", item);
    keep_option(c, item);
    return 0;
}

static enum options_command_word word_of(struct item item)
{
    for (int i = OPTIONS_COMMAND_NONE + 1; i < WORDS; i++)
        if (strlen(words[i].text) == item.len && memcmp(words[i].text, item.text, item.len) == 0)
            return (enum options_command_word)i;
    return OPTIONS_COMMAND_NONE;
}

static struct item item_at(const char *at)
{
    return (struct item){at, strcspn(at, ",")};
}

int options_command_parse(const char *line, struct options_command *ret,
                          struct options_error *ret_error)
{
    struct item item = item_at(line ? line : "");
    int result = 0;
    *ret = (struct options_command){.word = word_of(item), .options = calloc(1, 1)};
    ret_error->text[0] = '\0';
    if (ret->word != OPTIONS_COMMAND_NONE && ret->options) {
        free(ret->options);
        ret->options = calloc(1, strlen(item.text) + 1); /* large enough for all items */
    }
    if (!ret->options) {
        snprintf(ret_error->text, sizeof(ret_error->text), "no memory for the command");
        return -ENOMEM;
    }
    while (ret->word != OPTIONS_COMMAND_NONE && item.text[item.len]) {
        item = item_at(item.text + item.len + 1);
        int error = take_item(ret, item, ret_error);

        result = result ? result : error;
    }
    if (!result && ret->protocol > OPTIONS_COMMAND_PROTOCOL) {
        snprintf(ret_error->text, sizeof(ret_error->text),
                 "%s: this agent's answers have version %d", words[ret->word].text,
                 OPTIONS_COMMAND_PROTOCOL);
        result = E_SYNTAX;
    }
    return result;
}

void options_command_done(struct options_command *c)
{
    free(c->options);
    c->options = NULL;
}
