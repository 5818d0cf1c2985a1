/*
 * probe_pair.c - see probe_pair.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_pair.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "probe/probe_sites.h"

enum { WORD = 16, ROWS_A_STEP = 64 };

static const struct words {
    char begin[WORD], end[WORD];
} words[] = {
#define WORDS(begin, end) {begin, end},
#define KEYS(provider, begin, fields)
#include "probe/probe_pair.def"
#undef WORDS
#undef KEYS
};

static const struct keys {
    const char *provider, *begin;
    unsigned fields;
} keys[] = {
#define WORDS(begin, end)
#define KEYS(provider, begin, fields) {provider, begin, fields},
#include "probe/probe_pair.def"
#undef WORDS
#undef KEYS
};

static const char separators[] = "_-.";

/* The last word of a name. */
static const char *last_word(const char *name)
{
    const char *word = name;
    for (const char *c = name; *c; c++)
        if (strchr(separators, *c) && c[1] != '\0')
            word = c + 1;
    return word;
}

const char *probe_pair_comma(const char *text)
{
    const char *comma = NULL;
    int depth = 0;
    for (const char *c = text; *c; c++) {
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        if (*c != ',' || depth > 0)
            continue;
        if (comma || c == text || c[1] == '\0')
            return NULL;
        comma = c;
    }
    return comma;
}

/* "hotspot:gc__begin..end": of the second name stands what is different, from a word on. Names of
 * two providers stand in full. */
void probe_pair_name(char to[PROBE_PAIR_NAME], const char *begin, const char *end)
{
    size_t same = 0, from = 0;
    for (; begin[same] && begin[same] == end[same]; same++)
        if (strchr(separators, begin[same]) || begin[same] == ':')
            from = same + 1;
    if (strncmp(end, "uretprobe:", strlen("uretprobe:")) == 0 &&
        strcmp(begin + strlen("uprobe:"), end + strlen("uretprobe:")) == 0)
        snprintf(to, PROBE_PAIR_NAME, "%.*s..return", PROBE_PAIR_NAME - 16, begin);
    else
        snprintf(to, PROBE_PAIR_NAME, "%.90s..%.90s", begin, end + from);
}

/* ---- the table */

static unsigned fields_of(const struct probe_site *site)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (strcmp(keys[i].provider, site->at.provider) == 0 &&
            strcmp(keys[i].begin, site->at.name) == 0)
            return keys[i].fields;
    return 0;
}

/* Add a pair of two sites that stand for all sites of their names. */
static int add(struct probe_pairs *p, const struct probe_sites *s, uint32_t begin, uint32_t end)
{
    const struct probe_site *first = &s->rows[begin], *last = &s->rows[end];
    char from[PROBE_PAIR_NAME], to[PROBE_PAIR_NAME];
    if (p->count == PROBE_PAIR_MOST)
        return E_LIMIT;
    if (p->count % ROWS_A_STEP == 0) {
        struct probe_pair *rows = reallocarray(p->rows, p->count + ROWS_A_STEP, sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        p->rows = rows;
    }
    struct probe_pair *pair = &p->rows[p->count++];
    *pair = (struct probe_pair){.begin = begin, .end = end};
    snprintf(from, sizeof(from), "%s:%s", first->at.provider, first->at.name);
    snprintf(to, sizeof(to), "%s:%s", last->at.provider, last->at.name);
    probe_pair_name(pair->name, from, to);
    bool is_call = first->kind == PROBE_SITE_ENTRY && last->kind == PROBE_SITE_RETURN &&
                   first->file == last->file && first->at.offset == last->at.offset;
    bool is_known = first->kind == PROBE_SITE_NOTE && last->kind == PROBE_SITE_NOTE &&
                    strcmp(first->at.provider, last->at.provider) == 0;
    pair->fields = is_known ? fields_of(first) : 0;
    pair->by = is_call        ? PROBE_OPEN_BY_RETURN
               : pair->fields ? PROBE_OPEN_BY_KEYS
                              : PROBE_OPEN_NESTED;
    return 0;
}

/* ---- pairs that the user has named */

/* Choose all usable sites that the name names. They are of one probe; *ret_site is one of them.
 * Errors: 0; E_RANGE: they are of several probes; E_NOT_FOUND. */
static int take_named(const struct probe_sites *s, const char *name, bool *chosen,
                      uint32_t *ret_site)
{
    const struct probe_site *first = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!s->rows[i].is_usable || !probe_sites_is_named(&s->rows[i], &name, 1))
            continue;
        if (first && (strcmp(first->at.provider, s->rows[i].at.provider) != 0 ||
                      strcmp(first->at.name, s->rows[i].at.name) != 0))
            return E_RANGE;
        if (!first)
            *ret_site = i;
        first = &s->rows[i];
        chosen[i] = true;
    }
    return first ? 0 : E_NOT_FOUND;
}

static int find_named(struct probe_pairs *p, const struct probe_sites *s,
                      const struct probe_pair_names *names, bool *chosen, const char **ret_wrong)
{
    uint32_t begin = 0, end = 0;
    *ret_wrong = names->begin;
    int error = take_named(s, names->begin, chosen, &begin);
    if (error)
        return error;
    *ret_wrong = names->end;
    error = take_named(s, names->end, chosen, &end);
    if (error)
        return error;
    *ret_wrong = NULL;
    error = add(p, s, begin, end);
    for (uint32_t i = 0; i < s->count && !error; i++) {
        if (s->rows[i].is_usable && probe_sites_is_named(&s->rows[i], &names->begin, 1))
            p->begins[i] = p->count;
        if (s->rows[i].is_usable && probe_sites_is_named(&s->rows[i], &names->end, 1))
            p->ends[i] = p->count;
    }
    return error;
}

/* ---- pairs by their names */

/* A usable site of the same file and kind with this provider and name; UINT32_MAX: none. */
static uint32_t find_site(const struct probe_sites *s, const struct probe_site *like,
                          enum probe_site_kind kind, const char *provider, const char *name)
{
    uint32_t i = probe_sites_find(s, like->file, provider, name);
    const struct probe_site *first = i == UINT32_MAX ? NULL : &s->rows[i];
    for (; first && i < s->count && probe_sites_are_same(&s->rows[i], first); i++)
        if (s->rows[i].is_usable && s->rows[i].kind == kind &&
            (kind == PROBE_SITE_NOTE || s->rows[i].at.offset == like->at.offset))
            return i;
    return UINT32_MAX;
}

/* A site whose name is that of `site` with another last word. */
static uint32_t find_with_word(const struct probe_sites *s, const struct probe_site *site,
                               const char *word)
{
    char name[PROBE_PAIR_NAME];
    int len = snprintf(name, sizeof(name), "%.*s%s",
                       (int)(last_word(site->at.name) - site->at.name), site->at.name, word);
    return len < (int)sizeof(name) ? find_site(s, site, PROBE_SITE_NOTE, site->at.provider, name)
                                   : UINT32_MAX;
}

/* The site that ends what this site begins. */
static uint32_t end_of(const struct probe_sites *s, const struct probe_site *site)
{
    const char *word = last_word(site->at.name);
    uint32_t found = UINT32_MAX;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words) && found == UINT32_MAX; i++)
        if (strcmp(words[i].begin, word) == 0)
            found = find_with_word(s, site, words[i].end);
    return found;
}

static uint32_t begin_of(const struct probe_sites *s, const struct probe_site *site)
{
    const char *word = last_word(site->at.name);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (strcmp(words[i].end, word) != 0)
            continue;
        uint32_t begin = find_with_word(s, site, words[i].begin);
        uint32_t end = begin == UINT32_MAX ? UINT32_MAX : end_of(s, &s->rows[begin]);
        if (end != UINT32_MAX && probe_sites_are_same(&s->rows[end], site))
            return begin;
    }
    return UINT32_MAX;
}

/* The entry of a function for its return, or the return for its entry. */
static uint32_t other_side(const struct probe_sites *s, const struct probe_site *site)
{
    char provider[PROBE_PAIR_NAME];
    bool is_entry = site->kind == PROBE_SITE_ENTRY;
    snprintf(provider, sizeof(provider), "%s%s", is_entry ? "uretprobe" : "uprobe",
             strchr(site->at.provider, ':'));
    return find_site(s, site, is_entry ? PROBE_SITE_RETURN : PROBE_SITE_ENTRY, provider,
                     site->at.name);
}

/* Give the sites of one probe, of which one is `of`, a role in the last pair. A function has one
 * site. */
static void give_role(const struct probe_pairs *p, const struct probe_sites *s, uint32_t of,
                      uint32_t *roles, bool *chosen)
{
    const struct probe_site *site = &s->rows[of];
    uint32_t i = site->kind == PROBE_SITE_NOTE
                     ? probe_sites_find(s, site->file, site->at.provider, site->at.name)
                     : of;
    for (; i < s->count && probe_sites_are_same(&s->rows[i], site); i++) {
        if (!s->rows[i].is_usable || (site->kind != PROBE_SITE_NOTE && i != of))
            continue;
        chosen[i] = true;
        roles[i] = p->count;
    }
}

static int join(struct probe_pairs *p, const struct probe_sites *s, uint32_t begin, uint32_t end,
                bool *chosen)
{
    int error = add(p, s, begin, end);
    if (error)
        return error;
    give_role(p, s, begin, p->begins, chosen);
    give_role(p, s, end, p->ends, chosen);
    return 0;
}

static int find_partner(struct probe_pairs *p, const struct probe_sites *s, uint32_t i,
                        bool *chosen)
{
    const struct probe_site *site = &s->rows[i];
    if (p->begins[i] || p->ends[i])
        return 0;
    if (site->kind != PROBE_SITE_NOTE) {
        uint32_t other = other_side(s, site);
        if (other == UINT32_MAX)
            return 0;
        return site->kind == PROBE_SITE_ENTRY ? join(p, s, i, other, chosen)
                                              : join(p, s, other, i, chosen);
    }
    uint32_t end = end_of(s, site), begin = begin_of(s, site);
    if (end != UINT32_MAX && !p->ends[end])
        return join(p, s, i, end, chosen);
    if (begin != UINT32_MAX && !p->begins[begin])
        return join(p, s, begin, i, chosen);
    return 0;
}

/* The calls of functions whose returns are looked at. */
static int add_calls(struct probe_pairs *p, const struct probe_sites *s, bool *chosen)
{
    int error = 0;
    for (uint32_t i = 0; i < s->count && !error; i++) {
        if (!chosen[i] || s->rows[i].kind != PROBE_SITE_RETURN || p->ends[i])
            continue;
        uint32_t call = other_side(s, &s->rows[i]);
        if (call == UINT32_MAX || p->begins[call])
            continue;
        p->is_unseen[call] = !chosen[call];
        error = join(p, s, call, i, chosen);
        if (!error)
            p->rows[p->count - 1].is_hidden = true;
    }
    return error;
}

int probe_pair_find(const struct probe_sites *s, const struct probe_pair_wish *wish, bool *chosen,
                    struct probe_pairs *ret, const char **ret_wrong)
{
    int error = 0;
    *ret_wrong = NULL;
    *ret = (struct probe_pairs){.begins = calloc(s->count + (size_t)1, sizeof(*ret->begins)),
                                .ends = calloc(s->count + (size_t)1, sizeof(*ret->ends)),
                                .is_unseen = calloc(s->count + (size_t)1, sizeof(bool))};
    if (!ret->begins || !ret->ends || !ret->is_unseen)
        return -ENOMEM;
    for (uint32_t i = 0; i < wish->named_count && !error; i++)
        error = find_named(ret, s, &wish->named[i], chosen, ret_wrong);
    for (uint32_t i = 0; i < s->count && wish->by_names && !error; i++)
        if (chosen[i])
            error = find_partner(ret, s, i, chosen);
    if (!error && wish->by_names && ret->count == 0)
        return E_NOT_FOUND;
    return error || !wish->has_calls ? error : add_calls(ret, s, chosen);
}

bool probe_pair_is_alone(const struct probe_pairs *p, uint32_t site)
{
    uint32_t begin = p->begins[site], end = p->ends[site];
    return !p->is_unseen[site] && (!begin || p->rows[begin - 1].is_hidden) &&
           (!end || p->rows[end - 1].is_hidden);
}

void probe_pair_done(struct probe_pairs *p)
{
    free(p->rows);
    free(p->begins);
    free(p->ends);
    free(p->is_unseen);
    *p = (struct probe_pairs){0};
}
