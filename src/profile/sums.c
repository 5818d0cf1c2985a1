/*
 * sums.c - see sums.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/sums.h"
#include <errno.h>
#include <string.h>
#include "base/err.h"

void sums_init(struct sums *s, enum kind_id kind)
{
    *s = (struct sums){0};
    table_init(&s->rows, sizeof(struct sum) + kind_value_count(kind) * sizeof(uint64_t));
}

struct sum *sums_at(const struct sums *s, uint32_t row)
{
    return table_at(&s->rows, row);
}

struct event sums_event(enum kind_id kind, const struct sum *sum)
{
    struct event event = {.kind = kind,
                          .trace = sum->trace,
                          .klass = sum->klass,
                          .text = sum->text,
                          .context = sum->context};
    memcpy(event.value, sum->value, kind_value_count(kind) * sizeof(*event.value));
    return event;
}

/* The ids that identify a row. */
struct of {
    trace_id trace;
    class_id klass;
    string_id text;
    context_id context;
};

static struct of of_event(const struct event *e)
{
    return (struct of){e->trace, e->klass, e->text, e->context};
}

static uint32_t hash_of(const struct lookup_key *key, const struct of *of)
{
    return lookup_hash(key, of, sizeof(*of));
}

/* The row of `of`; 0: there is none. */
static uint32_t find(const struct sums *s, uint32_t hash, const struct of *of)
{
    uint32_t at = hash, row;
    while ((row = lookup_next(&s->index, hash, &at)) != 0) {
        const struct sum *sum = sums_at(s, row);
        if (sum->trace == of->trace && sum->klass == of->klass && sum->text == of->text &&
            sum->context == of->context)
            break;
    }
    return row;
}

uint32_t sums_row(const struct sums *s, const struct lookup_key *key, const struct event *event)
{
    struct of of = of_event(event);
    return find(s, hash_of(key, &of), &of);
}

const struct sum *sums_of_trace(const struct sums *s, const struct lookup_key *key, trace_id trace)
{
    struct of of = {.trace = trace};
    uint32_t row = find(s, hash_of(key, &of), &of);
    return row ? sums_at(s, row) : NULL;
}

int sums_add(struct sums *s, struct arena *a, const struct lookup_key *key,
             const struct event *event)
{
    struct of of = of_event(event);
    uint32_t hash = hash_of(key, &of), values = kind_value_count(event->kind);
    uint64_t total[KIND_VALUES] = {0};
    uint32_t row;

    /* No row is larger than the total, so if the total fits then the row fits. */
    for (uint32_t i = 0; i < values; i++)
        if (__builtin_add_overflow(s->total[i], event->value[i], &total[i]))
            return E_LIMIT;
    row = find(s, hash, &of);
    struct sum *sum = row ? sums_at(s, row) : NULL;
    if (!sum) {
        if (!lookup_reserve(&s->index, a))
            return -ENOMEM;
        sum = table_add(&s->rows, a);
        if (!sum)
            return -ENOMEM;
        *sum = (struct sum){
            .trace = of.trace, .klass = of.klass, .text = of.text, .context = of.context};
        for (uint32_t i = 0; i < values; i++)
            sum->value[i] = 0;
        lookup_add(&s->index, hash, s->rows.count);
    }
    for (uint32_t i = 0; i < values; i++) {
        sum->value[i] += event->value[i];
        s->total[i] = total[i];
    }
    return 0;
}

uint64_t sums_whole(const struct sums *s)
{
    return s->said ? s->said : s->total[0];
}

void sums_clear(struct sums *s)
{
    s->rows.count = 0;
    lookup_clear(&s->index);
    for (uint32_t i = 0; i < KIND_VALUES; i++)
        s->total[i] = 0;
    s->said = 0;
}
