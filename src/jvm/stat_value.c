/*
 * stat_value.c - see stat_value.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/stat_value.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "perfdata/perfdata.h"
#include "safe/clock.h"

enum { NAME_BYTES = 128, NEWEST = 999 };

static const struct {
    const char *word, *name;
} fronts[] = {
    {"S0", "sun.gc.generation.0.space.1"},
    {"S1", "sun.gc.generation.0.space.2"},
    {"EDEN", "sun.gc.generation.0.space.0"},
    {"OLD", "sun.gc.generation.1.space.0"},
    {"GEN0", "sun.gc.generation.0"},
    {"GEN1", "sun.gc.generation.1"},
    {"C0", "sun.gc.collector.0"},
    {"C1", "sun.gc.collector.1"},
    {"C2", "sun.gc.collector.2"},
    {"MS", "sun.gc.metaspace"},
    {"CCS", "sun.gc.compressedclassspace"},
    {"POL", "sun.gc.policy"},
    {"HZ", "sun.os.hrt.frequency"},
};

struct reader {
    const struct perfdata *counters;
    const char *at;
    bool missing_is_0;
};

static size_t word_len(const char *text)
{
    size_t len = 0;
    while (isalnum((unsigned char)text[len]) || text[len] == '.' || text[len] == '_')
        len++;
    return len;
}

static void expand(const char *word, size_t len, char *ret_name, size_t room)
{
    size_t front = strcspn(word, ".");
    front = front < len ? front : len;
    for (size_t i = 0; i < sizeof(fronts) / sizeof(fronts[0]); i++) {
        if (strlen(fronts[i].word) == front && memcmp(fronts[i].word, word, front) == 0) {
            snprintf(ret_name, room, "%s%.*s", fronts[i].name, (int)(len - front), word + front);
            return;
        }
    }
    snprintf(ret_name, room, "%.*s", (int)len, word);
}

void stat_value_name(const char *value, char *ret_name, unsigned room)
{
    expand(value, word_len(value), ret_name, room);
}

static double counter(const struct reader *r, const char *name)
{
    /* The only word that is not a counter: the time of the sample, in milliseconds. */
    if (strcmp(name, "jstat.timestamp") == 0) {
        uint64_t ms = clock_ns(CLOCK_REALTIME) / NS_PER_MS;
        return (double)ms;
    }
    const struct perfdata_row *row = perfdata_find(r->counters, name);
    if (!row || row->len != 0)
        return r->missing_is_0 ? 0 : NAN;
    return (double)perfdata_number(r->counters, row);
}

static double sum(struct reader *r);

static double word(struct reader *r)
{
    char name[NAME_BYTES];
    size_t len = word_len(r->at);
    if (*r->at == '(') {
        r->at++;
        double value = sum(r);
        r->at += *r->at == ')';
        return value;
    }
    const char *at = r->at;
    r->at += len;
    if (isdigit((unsigned char)*at))
        return strtod(at, NULL);
    expand(at, len, name, sizeof(name));
    return counter(r, name);
}

static double quotient(struct reader *r)
{
    double value = word(r);
    while (*r->at == '/') {
        r->at++;
        double by = word(r);
        value = by == 0 ? NAN : value / by;
    }
    return value;
}

static double sum(struct reader *r)
{
    double value = quotient(r);
    while (*r->at == '+' || *r->at == '-') {
        bool is_plus = *r->at++ == '+';
        double other = quotient(r);
        value = is_plus ? value + other : value - other;
    }
    return value;
}

/* The order of operations is that of jstat; another order would change the last digit. */
static double percent(const struct reader *r, const char *space)
{
    char front[NAME_BYTES], name[NAME_BYTES + 16];
    expand(space, strlen(space), front, sizeof(front));
    snprintf(name, sizeof(name), "%s.capacity", front);
    double capacity = counter(r, name);
    snprintf(name, sizeof(name), "%s.used", front);
    double used = counter(r, name);
    return capacity == 0 ? NAN : (1 - (capacity - used) / capacity) * 100;
}

double stat_value_number(const struct perfdata *p, const char *value, bool missing_is_0)
{
    struct reader r = {p, value, missing_is_0};
    return *value == '%' ? percent(&r, value + 1) : sum(&r);
}

int stat_value_release(const struct perfdata *p)
{
    static const char name[] = "java.property.java.vm.specification.version";
    size_t len;
    const char *text = perfdata_text_of(p, name, &len);
    if (!text)
        return NEWEST;
    int release = (int)strtol(text, NULL, 10);
    return release == 1 ? 8 : release; /* JDK 8 writes 1.8 */
}
