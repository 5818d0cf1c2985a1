/*
 * jfr_catalogue.c - see jfr_catalogue.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_catalogue.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "jfr/jfr_filter.h"

static const unsigned releases[] = {
#define RELEASE(number) number,
#define EVENT(...)
#define FIELD(...)
#define EXPERIMENTAL_FIELD(...)
#define SETTING(...)
#include "jfrtool/jfr_facts.def"
#undef RELEASE
#undef EVENT
#undef FIELD
#undef EXPERIMENTAL_FIELD
#undef SETTING
};

static const struct jfr_catalogue_row rows[] = {
#define RELEASE(number)
#define EVENT(r, n, l, c, experimental)                                                            \
    {.kind = JFR_CATALOGUE_EVENT,                                                                  \
     .releases = (r),                                                                              \
     .name = (n),                                                                                  \
     .label = (l),                                                                                 \
     .categories = (c),                                                                            \
     .is_experimental = (experimental)},
#define FIELD(r, n, t, u, l) FIELD_ROW(r, n, t, u, l, false)
#define EXPERIMENTAL_FIELD(r, n, t, u, l) FIELD_ROW(r, n, t, u, l, true)
#define FIELD_ROW(r, n, t, u, l, experimental)                                                     \
    {.kind = JFR_CATALOGUE_FIELD,                                                                  \
     .releases = (r),                                                                              \
     .name = (n),                                                                                  \
     .type = (t),                                                                                  \
     .unit = (u),                                                                                  \
     .label = (l),                                                                                 \
     .is_experimental = (experimental)},
#define SETTING(r, n, d, p)                                                                        \
    {.kind = JFR_CATALOGUE_SETTING,                                                                \
     .releases = (r),                                                                              \
     .name = (n),                                                                                  \
     .by_default = (d),                                                                            \
     .by_profile = (p)},
#include "jfrtool/jfr_facts.def"
#undef RELEASE
#undef EVENT
#undef FIELD_ROW
#undef FIELD
#undef EXPERIMENTAL_FIELD
#undef SETTING
};

static const struct sentence {
    const char *event, *text;
} sentences[] = {
#define SENTENCE(event, text) {event, text},
#include "jfrtool/jfr_sentences.def"
#undef SENTENCE
};

static const struct jfr_catalogue_sentence field_sentences[] = {
#define FIELD_SENTENCE(event, field, text) {event, field, text},
#include "jfrtool/jfr_field_sentences.def"
#undef FIELD_SENTENCE
};

enum {
    RELEASES = sizeof(releases) / sizeof(releases[0]),
    FIELD_SENTENCES = sizeof(field_sentences) / sizeof(field_sentences[0]),
};

struct jfr_catalogue jfr_catalogue_all(void)
{
    return (struct jfr_catalogue){rows, sizeof(rows) / sizeof(rows[0])};
}

size_t jfr_catalogue_rows_of(const struct jfr_catalogue *all, size_t at)
{
    size_t end = at + 1;
    while (end < all->count && all->rows[end].kind != JFR_CATALOGUE_EVENT)
        end++;
    return end - at;
}

struct jfr_catalogue jfr_catalogue_find(const struct jfr_catalogue *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->rows[i].kind == JFR_CATALOGUE_EVENT && strcmp(all->rows[i].name, name) == 0)
            return (struct jfr_catalogue){all->rows + i, jfr_catalogue_rows_of(all, i)};
    return (struct jfr_catalogue){NULL, 0};
}

static int compare_event(const void *name, const void *row)
{
    return strcmp(name, ((const struct sentence *)row)->event);
}

const char *jfr_catalogue_sentence(const char *name)
{
    const struct sentence *found =
        bsearch(name, sentences, sizeof(sentences) / sizeof(sentences[0]), sizeof(sentences[0]),
                compare_event);
    return found ? found->text : NULL;
}

static int compare_field(const void *wanted, const void *row)
{
    const struct jfr_catalogue_sentence *a = wanted, *b = row;
    int order = strcmp(a->event, b->event);
    return order != 0 ? order : strcmp(a->field, b->field);
}

static bool is_pattern(const struct jfr_catalogue_sentence *row)
{
    return strchr(row->event, '*') != NULL;
}

const struct jfr_catalogue_sentence *jfr_catalogue_field_sentence(const char *event,
                                                                  const char *field)
{
    const struct jfr_catalogue_sentence wanted = {event, field, NULL},
                                        *own = bsearch(&wanted, field_sentences, FIELD_SENTENCES,
                                                       sizeof(field_sentences[0]), compare_field);
    if (own)
        return own;
    for (size_t i = FIELD_SENTENCES; i-- > 0;)
        if (strcmp(field_sentences[i].field, field) == 0 && is_pattern(&field_sentences[i]) &&
            jfr_filter_glob(field_sentences[i].event, event))
            return &field_sentences[i];
    return NULL;
}

bool jfr_catalogue_is_internal(const struct jfr_catalogue_row *event)
{
    static const char name[] = "Internal";
    for (const char *at = event->categories, *end; *at != '\0'; at = end + (*end == '|')) {
        end = at + strcspn(at, "|");
        if ((size_t)(end - at) == sizeof(name) - 1 && strncmp(at, name, sizeof(name) - 1) == 0)
            return true;
    }
    return false;
}

const unsigned *jfr_catalogue_releases(size_t *ret_count)
{
    *ret_count = RELEASES;
    return releases;
}

unsigned jfr_catalogue_release_bit(unsigned jdk)
{
    for (unsigned i = 0; i < RELEASES; i++)
        if (releases[i] == jdk)
            return 1u << i;
    return 0;
}

void jfr_catalogue_span(unsigned bits, char *to, size_t room)
{
    size_t len = 0;
    if (room > 0)
        *to = '\0';
    for (unsigned i = 0; i < RELEASES && len < room; i++) {
        unsigned first = i;
        if (!(bits >> i & 1))
            continue;
        while (i + 1 < RELEASES && bits >> (i + 1) & 1)
            i++;
        const char *comma = len > 0 ? ", " : "";
        int n = i == RELEASES - 1
                    ? snprintf(to + len, room - len, first == i ? "%s%u" : "%s%u and later", comma,
                               releases[first])
                : first == i ? snprintf(to + len, room - len, "%s%u", comma, releases[i])
                             : snprintf(to + len, room - len, "%s%u to %u", comma, releases[first],
                                        releases[i]);
        len += n > 0 ? (size_t)n : 0;
    }
}
