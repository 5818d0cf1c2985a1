/*
 * options_group.c - see options_group.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_group.h"
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

/* The part of one option string that belongs to one engine. */
struct options_own {
    int asked;
    unsigned marks;
    bool is_wanted;
    uint32_t off; /* events of its settings that are turned off; bit N is event N */
    /* the group's own struct; it lies behind the array of options_own */
    void *values;
};

static size_t rounded(size_t bytes)
{
    size_t unit = alignof(max_align_t);
    return (bytes + unit - 1) / unit * unit;
}

static int group_count(void)
{
    int n = 0;
    while (options_group_all[n])
        n++;
    return n;
}

struct options_own *options_group_new(void)
{
    const size_t rows = rounded(((size_t)group_count() + 1) * sizeof(struct options_own));
    size_t bytes = rows;
    struct options_own *own;
    for (int i = 0; options_group_all[i]; i++)
        bytes += rounded(options_group_all[i]->bytes);
    own = calloc(1, bytes);
    if (!own)
        return NULL;
    bytes = rows;
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_group *g = options_group_all[i];
        own[i].values = (char *)own + bytes;
        if (g->bytes)
            memcpy(own[i].values, g->defaults, g->bytes);
        bytes += rounded(g->bytes);
    }
    return own;
}

void *options_group_at(struct options_own *own, int i)
{
    return own[i].values;
}

/* The index of the group in the list. */
static int place_of(const struct options_group *group)
{
    int i = 0;
    while (options_group_all[i] != group)
        i++;
    return i;
}

const void *options_group_own(const struct options *o, const struct options_group *group)
{
    return o->own ? o->own[place_of(group)].values : group->defaults;
}

int options_group_asked(const struct options *o, const struct options_group *group)
{
    return o->own ? o->own[place_of(group)].asked : 0;
}

bool options_group_wanted(const struct options *o, const struct options_group *group)
{
    return o->own && o->own[place_of(group)].is_wanted;
}

unsigned options_group_marks(const struct options *o)
{
    unsigned marks = 0;
    for (int i = 0; o->own && options_group_all[i]; i++)
        marks |= o->own[i].marks;
    return marks;
}

bool options_group_has_moments(const struct options *o)
{
    int asked = options_group_count(o, OPTIONS_MARK_ASKED);
    return asked > 0 && asked == options_group_count(o, OPTIONS_MARK_MOMENTS);
}

int options_group_count(const struct options *o, unsigned mark)
{
    int count = 0;
    for (int i = 0; o->own && options_group_all[i]; i++)
        count += (o->own[i].marks & mark) != 0;
    return count;
}

/* The bit of an event of the group's settings. *ret_all has the bits of all its events. */
static uint32_t bit_of(const struct options_group *group, const char *event, uint32_t *ret_all)
{
    const struct options_setting *s = group->settings;
    uint32_t bit = 0, found = 0;
    *ret_all = 0;
    for (const char *last = ""; s && s->event; last = s->event, s++) {
        if (strcmp(last, s->event) != 0)
            bit = bit ? bit << 1 : 1;
        if (strcmp(event, s->event) == 0)
            found = bit;
        *ret_all |= bit;
    }
    return found;
}

/* The bits of the events that only their own settings turn on. */
static uint32_t named_only(const struct options_group *group)
{
    uint32_t bits = 0, all;
    for (const struct options_setting *s = group->settings; s && s->event; s++)
        if (s->is_named_only)
            bits |= bit_of(group, s->event, &all);
    return bits;
}

bool options_group_ask(struct options_own *own, const char *option, const char *word, bool is_more)
{
    bool is_known = false;
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_ask *ask = options_group_all[i]->asks;
        for (; ask && ask->option; ask++) {
            if (strcmp(ask->option, option) == 0 && strcmp(ask->word, word) == 0) {
                if (own && (!is_more || ask->value > own[i].asked))
                    own[i].asked = ask->value;
                if (own)
                    own[i].off = named_only(options_group_all[i]);
                is_known = true;
            }
        }
    }
    return is_known;
}

int options_group_take_word(struct options_own *own, const char *word, char *ret_why, size_t size)
{
    int error = E_NOT_FOUND;
    for (int i = 0; options_group_all[i] && error == E_NOT_FOUND; i++) {
        const struct options_group *g = options_group_all[i];
        if (!g->take_word)
            continue;
        error = g->take_word(own ? own[i].values : NULL, word, ret_why, size);
        if (!error && own)
            own[i].asked = g->asks->value;
    }
    return error;
}

int options_group_works_here(const struct options *o, char *ret_why, size_t size)
{
    int error = 0;
    for (int i = 0; o->own && options_group_all[i] && !error; i++) {
        const struct options_group *g = options_group_all[i];
        if (g->works_here && o->own[i].is_wanted)
            error = g->works_here(o->own[i].values, ret_why, size);
    }
    return error;
}

void options_group_turn(struct options_own *own, int i, const char *event, bool is_on)
{
    const struct options_group *g = options_group_all[i];
    uint32_t all, bit = bit_of(g, event, &all);
    if (is_on) {
        if (!own[i].asked) {
            own[i].asked = g->asks->value;
            own[i].off = all;
        }
        own[i].off &= ~bit;
        return;
    }
    own[i].off |= bit;
    if (own[i].off == all)
        own[i].asked = 0;
}

void options_group_ask_with(struct options_own *own, int i, const char *name)
{
    const struct options_group *g = options_group_all[i];
    if (own[i].asked || !g->asked_with || strcmp(name, g->asked_with) != 0)
        return;
    own[i].asked = g->asks->value;
    own[i].off = named_only(g);
}

bool options_group_is_off(const struct options *o, const struct options_group *group,
                          const char *event)
{
    uint32_t all;
    return o->own && (o->own[place_of(group)].off & bit_of(group, event, &all)) != 0;
}

int options_group_words(const char *option, const char **ret_words, int max)
{
    int count = 0;
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_ask *ask = options_group_all[i]->asks;
        for (; ask && ask->option; ask++)
            if (strcmp(ask->option, option) == 0 && !ask->is_hidden && count < max)
                ret_words[count++] = ask->word;
    }
    return count;
}

void options_group_take(struct options_own *own, const struct options_own *from, int i)
{
    own[i].asked = from[i].asked;
    own[i].off = from[i].off;
    memcpy(own[i].values, from[i].values, options_group_all[i]->bytes);
}

void options_group_drop(struct options_own *own, int i)
{
    own[i].asked = 0;
}

void options_group_settle(struct options_own *own, char format)
{
    unsigned all = 0;
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_group *g = options_group_all[i];
        own[i].marks = g->marks ? g->marks(own[i].asked, own[i].values) : 0;
        all |= own[i].marks;
    }
    for (int i = 0; options_group_all[i]; i++)
        own[i].is_wanted = own[i].marks != 0 || (options_group_all[i]->serves & all) != 0 ||
                           (options_group_all[i]->of_format == format && format);
}
