/*
 * own_words.c - see own_words.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/own_words.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include "command/cmd.h"
#include "command/opts.h"
#include "command/say.h"

#define AS_IT_IS "agent-option"

/* The first row is used that has the name and value in the message, and whose option the command
 * has. */
static const struct own_word rows[] = {
    {"file", NULL, "output", NULL},
    {"format", "jfr", "output", "*.jfr"},
    {"format", "collapsed", "output", "*.collapsed"},
    {"format", "html", "output", "*.html"},
    {"format", NULL, "format", NULL},
    {"format", "b", "output", "*.hprof"},
    {"event", NULL, "event", NULL},
    {"monitor", NULL, "event", "monitor"},
    {"heap", "histo", "event", "histo"},
    {"cpu", "times", "event", "times"},
    {"cpu", "samples", "event", "cpu"},
    {"interval", NULL, "interval", NULL},
    {"depth", NULL, "depth", NULL},
    {"duration", NULL, "duration", NULL},
    {"loop", NULL, "loop", NULL},
    {"keep", NULL, "keep", NULL},
    {"name", NULL, "name", NULL},
    {"cutoff", NULL, "cutoff", NULL},
    {"timer", NULL, "timer", NULL},
    {"mem", NULL, "mem", NULL},
    {"wallthreads", NULL, "wall-threads", NULL},
    {"wallstates", NULL, "wall-states", NULL},
    {"walldaemon", NULL, "wall-daemon", NULL},
    {"live", NULL, "live", ""},
    {"thread", "y", "threads", ""},
    {"lineno", "n", "no-lines", ""},
    {"native", "y", "native", ""},
    {"kernel", "y", "kernel", ""},
    /* Options without a word of their own are shown as --agent-option NAME=VALUE. */
    {"wall", NULL, AS_IT_IS, NULL},
    {"alloc", NULL, AS_IT_IS, NULL},
    {"lock", NULL, AS_IT_IS, NULL},
    {"timer", NULL, AS_IT_IS, NULL},
    {"mem", NULL, AS_IT_IS, NULL},
    {"heap", NULL, AS_IT_IS, NULL},
    {"clock", NULL, AS_IT_IS, NULL},
};

static bool is(const char *word, const char *text, size_t len)
{
    return strlen(word) == len && memcmp(word, text, len) == 0;
}

static const struct own_word *find(const struct cmd *cmd, const char *name, size_t name_len,
                                   const char *value, size_t value_len)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (is(rows[i].name, name, name_len) &&
            (!rows[i].value || is(rows[i].value, value, value_len)) &&
            opts_row(cmd, rows[i].option, strlen(rows[i].option)))
            return &rows[i];
    return NULL;
}

const struct own_word *own_words_of(const char *option)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].option, option) == 0)
            return &rows[i];
    return NULL;
}

struct out {
    char *at, *end;
};

static void put(struct out *o, const char *text, size_t len)
{
    if (len > (size_t)(o->end - o->at))
        len = (size_t)(o->end - o->at);
    memcpy(o->at, text, len);
    o->at += len;
}

/* The length of a value. A punctuation mark after the value belongs to the sentence. */
static size_t value_length(const char *value)
{
    size_t len = strcspn(value, " ,;()'");
    return len > 0 && strchr(":.", value[len - 1]) ? len - 1 : len;
}

/* Whether the option is a trigger: onoom= is shown as --on oom. */
static bool is_trigger(const char *name, size_t len)
{
    return len > 2 && memcmp(name, "on", 2) == 0 && !is("onjcmd", name, len);
}

/* Writes the command's word for the option at `text`. Returns how many bytes the option has; 0: it
 * is not replaced. */
static size_t put_option(const struct cmd *cmd, const char *text, struct out *o)
{
    size_t name = 0;
    while (islower((unsigned char)text[name]))
        name++;
    if (name == 0 || text[name] != '=')
        return 0;
    const char *value = text + name + 1;
    size_t len = value_length(value), first = strcspn(value, "|");
    if (is_trigger(text, name) && opts_row(cmd, "on", 2)) {
        put(o, "--on ", 5);
        put(o, text + 2, name - 2 + (len > 0)); /* with '=' if there is a value */
        put(o, value, len);
        return name + 1 + len;
    }
    first = first < len ? first : len;
    const struct own_word *row = find(cmd, text, name, value, first);
    if (!row)
        return 0;
    put(o, "--", 2);
    put(o, row->option, strlen(row->option));
    const char *shown = row->shown ? row->shown : value;
    size_t shown_len = row->shown ? strlen(row->shown) : len;
    if (strcmp(row->option, AS_IT_IS) == 0) {
        shown = text;
        shown_len = name + 1 + len;
    }
    put(o, " ", shown_len > 0);
    put(o, shown, shown_len);
    return name + 1 + len;
}

void own_words_put(const struct cmd *cmd, const char *text, char *ret, size_t size)
{
    struct out o = {ret, ret + size - 1};
    bool may_begin = true;
    while (*text != '\0') {
        size_t taken = may_begin && cmd ? put_option(cmd, text, &o) : 0;
        /* In "loop=1h,keep=3" the agent's options are separated by commas. The options of a command
         * are separated by blanks. */
        while (taken > 0 && text[taken] == ',') {
            char *before = o.at;
            put(&o, " ", 1);
            size_t more = put_option(cmd, text + taken + 1, &o);
            if (more == 0) {
                o.at = before;
                break;
            }
            taken += 1 + more;
        }
        if (taken == 0) {
            put(&o, text, 1);
            taken = 1;
        }
        text += taken;
        may_begin = text[-1] == ' ' || text[-1] == '(' || text[-1] == '\'';
    }
    *o.at = '\0';
}

void own_words_say(const struct cmd *cmd, const char *text)
{
    char own[OWN_WORDS_MAX];
    own_words_put(cmd, text, own, sizeof(own));
    say("%s: %s", cmd->name, own);
}
