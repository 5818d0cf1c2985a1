/*
 * options_on.c - see options_on.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_on.h"
#include <stdlib.h>
#include <string.h>
#include "base/units.h"

enum { TIMES_MAX = 1000000 };

const struct options_on options_on_none = {0};

static const struct action {
    const char *word;
    unsigned mark;
    const char *takes;
} actions[] = {
#define OPTIONS_ACTION(NAME, word, mark, takes, about) {#word, mark, takes},
#include "options/options_action.def"
#undef OPTIONS_ACTION
};

const char *options_on_word(enum options_action action)
{
    return actions[action].word;
}

/* ---- one value */

/* Cuts off ":count=N". Returns false if N is no valid number. */
static bool cut_times(char *text, int *ret_times)
{
    static const char word[] = ":count=";
    char *at = NULL, *end;
    long times;
    for (char *p = text; (p = strstr(p, word)) != NULL; p++)
        at = p;
    if (!at)
        return true;
    times = strtol(at + sizeof(word) - 1, &end, 10);
    if (*end || end == at + sizeof(word) - 1 || times < 1 || times > TIMES_MAX)
        return false;
    *ret_times = (int)times;
    *at = '\0';
    return true;
}

/* The beginning of the action, after its colon; NULL: there is none. It is the last colon that is
 * not part of "::" or ":>50ms". Colons after "launch=" belong to the program's name. */
static char *action_in(char *text)
{
    char *last = NULL;
    for (char *p = text; (p = strchr(p, ':')) != NULL; p++) {
        if (p[1] == ':') {
            p++;
            continue;
        }
        if (p[1] != '>')
            last = p + 1;
        for (int i = 0; i < OPTIONS_ACTION_COUNT; i++) {
            size_t len = strlen(actions[i].word);
            if (actions[i].takes && strncmp(p + 1, actions[i].word, len) == 0 && p[1 + len] == '=')
                return p + 1;
        }
    }
    return last;
}

static const char *read_action(const char *text, struct options_on_one *one)
{
    for (int i = 0; i < OPTIONS_ACTION_COUNT; i++) {
        size_t len = strlen(actions[i].word);
        if (strncmp(text, actions[i].word, len) != 0)
            continue;
        one->action = (enum options_action)i;
        if (!actions[i].takes && !text[len])
            return NULL;
        if (actions[i].takes && text[len] == '=' && text[len + 1]) {
            snprintf(one->with, sizeof(one->with), "%s", text + len + 1);
            return NULL;
        }
    }
    return "what a trigger does is start, stop, dump, threads, heap, histo or launch=PROGRAM";
}

static const char *read_one(const struct options_on_kind *kind, const char *value,
                            struct options_on_one *one)
{
    const char *error = NULL;
    char *action;
    if (strlen(value) >= sizeof(one->what))
        return "what a trigger is given is too long";
    *one = (struct options_on_one){.action = kind->action, .times = 1};
    snprintf(one->what, sizeof(one->what), "%s", value);
    if (!cut_times(one->what, &one->times))
        return "count= of a trigger is a number, 1 or more, at its end";
    action = action_in(one->what);
    if (action) {
        action[-1] = '\0';
        error = read_action(action, one);
    }
    if (!error && kind->is_late &&
        ((actions[one->action].mark & OPTIONS_MARK_WAITS) || one->action == OPTIONS_ACTION_STOP))
        error = "at the end of the JVM nothing begins, and all ends: use dump, threads, heap, "
                "histo or launch=PROGRAM";
    return error ? error : kind->refuse(one->what);
}

const char *options_on_add(struct options_on *to, const struct options_on_kind *kind,
                           const char *value)
{
    struct options_on_one one;
    const char *error = read_one(kind, value, &one);
    if (error)
        return error;
    if (to->count == OPTIONS_ON_MAX)
        return "there are eight triggers of this kind: that is as many as can be";
    if (one.what[0])
        to->one[to->count++] = one;
    return NULL;
}

const char *options_on_refuse_switch(char what[OPTIONS_ON_TEXT])
{
    if (strcmp(what, "n") == 0)
        what[0] = '\0';
    else if (strcmp(what, "y") != 0)
        return "this trigger is y or n, and what it does: y:dump";
    return NULL;
}

/* ---- what triggers mean for the recording */

unsigned options_on_marks(int asked, const void *own)
{
    const struct options_on *on = own;
    unsigned marks = 0;
    for (int i = 0; asked && i < on->count; i++)
        marks |= OPTIONS_MARK_WATCHES | actions[on->one[i].action].mark;
    return marks;
}

static bool is_trigger(const struct options_group *g)
{
    return g->marks == options_on_marks;
}

bool options_on_waits(const struct options *o)
{
    return (options_group_marks(o) & OPTIONS_MARK_WAITS) != 0;
}

bool options_on_is_alone(const struct options *o)
{
    return (options_group_marks(o) & OPTIONS_MARK_WATCHES) != 0 &&
           options_group_count(o, OPTIONS_MARK_ASKED) == 0;
}

/* With `is_steered`, keeps only the triggers that end or write the recording; otherwise keeps only
 * the others. */
static void keep(struct options *o, bool is_steered)
{
    for (int i = 0; options_group_all[i]; i++) {
        struct options_on *on = options_group_at(o->own, i);
        int kept = 0;
        if (!is_trigger(options_group_all[i]))
            continue;
        for (int at = 0; at < on->count; at++)
            if (((actions[on->one[at].action].mark & OPTIONS_MARK_STEERED) != 0) == is_steered)
                on->one[kept++] = on->one[at];
        on->count = kept;
    }
    options_group_settle(o->own, o->format);
}

void options_on_hold(struct options *o)
{
    for (int i = 0; options_group_all[i]; i++)
        if (!is_trigger(options_group_all[i]))
            options_group_drop(o->own, i);
    o->format = 'a';
    keep(o, false);
    snprintf(o->file, sizeof(o->file), "/dev/null");
    o->net.host[0] = o->under.manifest[0] = '\0';
    o->doe = o->expand = o->verbose = false;
    o->force = true;
    /* depth and interval of other recordings count when all are combined */
    o->depth = 0;
    o->interval_ns = UINT64_MAX;
    o->ends.duration_ns = 0;
}

void options_on_begun(struct options *o)
{
    keep(o, true);
}

/* ---- names of classes */

bool options_on_read_class(char *name, size_t len)
{
    bool is_start = true; /* at the start of a part of the name */
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '.')
            name[i] = '/';
        if ((name[i] == '/' && is_start) || (name[i] > 0 && name[i] <= ' ') || name[i] == ';' ||
            name[i] == '[' || name[i] == ':' || name[i] == '*')
            return false;
        is_start = name[i] == '/';
    }
    return !is_start;
}
