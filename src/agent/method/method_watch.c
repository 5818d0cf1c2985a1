/*
 * method_watch.c - see method_watch.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/method/method_watch.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/log.h"
#include "agent/method/method_open.h"
#include "agent/names/methods.h"
#include "base/lock.h"
#include "base/stripe.h"
#include "base/wildcard.h"
#include "classfile/instrument.h"
#include "options/options_method.h"
#include "profile/event.h"

enum {
    METHODS_WATCHED = 1 << METHOD_OPEN_NUMBER_BITS,
    COPIES = 4,
    VALUES = 8 * OPTIONS_METHOD_MAX, /* of all recordings */
    LINE = 512,
};

struct sums {
    _Alignas(STRIPE_BYTES) _Atomic uint64_t calls;
    _Atomic uint64_t total, most;
    _Atomic uint64_t least; /* the shortest call + 1; 0: there was none */
};

struct watched {
    struct sums of[COPIES];
    uint32_t number;
    _Atomic uint64_t least_ns;
};

/* A value of method=, with what is known of it. */
struct value {
    struct options_method_one one;
    bool is_said, is_codeless;    /* a line was printed; a method without code matches */
    bool is_full;                 /* a method that matches found no room */
    enum instrument_verdict left; /* why a method was left alone; INSTRUMENT_INJECTED: none was */
};

static struct {
    struct lock lock; /* guards all but the rows below `count` */
    struct watched *rows;
    uint32_t max;
    _Atomic uint32_t count;
    struct value *values;
    int value_count;
    _Atomic uint32_t left;
} watch = {.lock = LOCK_INIT(WATCHED)};

int method_watch_prepare(uint64_t bytes)
{
    uint64_t max = bytes / sizeof(struct watched);
    if (watch.rows)
        return 0;
    watch.values = calloc(VALUES, sizeof(*watch.values));
    watch.max = max < METHODS_WATCHED ? (uint32_t)max : METHODS_WATCHED;
    watch.rows = aligned_alloc(STRIPE_BYTES, watch.max * sizeof(*watch.rows));
    if (!watch.rows || !watch.values) {
        free(watch.rows);
        free(watch.values);
        watch.rows = NULL;
        return -ENOMEM;
    }
    return 0;
}

/* ---- what matches; needs the lock where it reads `values` */

static bool matches(const char *pattern, const char *text, size_t len)
{
    return wildcard_matches(pattern, strlen(pattern), text, len, false);
}

static bool matches_method(const struct options_method_one *one, const char *klass,
                           size_t class_len, const char *name, size_t len)
{
    return matches(one->klass, klass, class_len) && matches(one->method, name, len);
}

static bool matches_row(const struct options_method_one *one, uint32_t at)
{
    const struct methods_names n = methods_names(watch.rows[at].number);
    return matches_method(one, n.class_name, strlen(n.class_name), n.name, strlen(n.name));
}

/* The least time of all values that match the method. */
static uint64_t least_of(uint32_t at)
{
    uint64_t least_ns = UINT64_MAX;
    for (int i = 0; i < watch.value_count; i++) {
        const struct options_method_one *one = &watch.values[i].one;
        if (one->has_events && one->least_ns < least_ns && matches_row(one, at))
            least_ns = one->least_ns;
    }
    return least_ns;
}

/* The value with the same text among the first `count`; NULL: there is none. */
static struct value *same_as(struct value *values, int count, const struct options_method_one *one)
{
    for (int i = 0; i < count; i++)
        if (strcmp(values[i].one.text, one->text) == 0)
            return &values[i];
    return NULL;
}

void method_watch_ask(const struct options_method *const *lists, int count)
{
    struct value *values = calloc(VALUES, sizeof(*values));
    int values_now = 0;
    if (!values)
        return; /* what is watched stays */
    lock_take(&watch.lock);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < lists[i]->count && values_now < VALUES; k++) {
            const struct options_method_one *one = &lists[i]->one[k];
            const struct value *old = same_as(watch.values, watch.value_count, one);
            if (!same_as(values, values_now, one))
                values[values_now++] = old ? *old : (struct value){.one = *one};
        }
    struct value *before = watch.values;
    watch.values = values;
    watch.value_count = values_now;
    for (uint32_t at = 0; at < watch.count; at++)
        atomic_store_explicit(&watch.rows[at].least_ns, least_of(at), memory_order_relaxed);
    lock_give(&watch.lock);
    free(before);
}

bool method_watch_wants(const char *class_name)
{
    bool is_wanted = false;
    lock_take(&watch.lock);
    for (int i = 0; i < watch.value_count && !is_wanted; i++)
        is_wanted = matches(watch.values[i].one.klass, class_name, strlen(class_name));
    lock_give(&watch.lock);
    return is_wanted;
}

/* Whether a value matches. With `is_full`, notes that the method found no room. */
static bool is_asked(struct cpool_utf8 class_name, struct cpool_utf8 name, bool is_full)
{
    bool is_any = false;
    for (int i = 0; i < watch.value_count; i++) {
        struct value *v = &watch.values[i];
        bool is_it =
            matches_method(&v->one, class_name.bytes, class_name.len, name.bytes, name.len);
        is_any |= is_it;
        v->is_full |= is_it && is_full;
    }
    return is_any;
}

/* The row of a method, a new one if it has none. -1: there is no room. */
static int32_t add(const struct instrument_method *m)
{
    int32_t number = methods_add(m);
    uint32_t at = 0;
    if (number < 0)
        return -1;
    while (at < watch.count && watch.rows[at].number != (uint32_t)number)
        at++;
    if (at == watch.max)
        return -1;
    if (at == watch.count) {
        memset(&watch.rows[at], 0, sizeof(watch.rows[at]));
        watch.rows[at].number = (uint32_t)number;
        atomic_store(&watch.rows[at].least_ns, least_of(at));
        atomic_store_explicit(&watch.count, at + 1, memory_order_release);
    }
    return (int32_t)at;
}

int32_t method_watch_select(void *context, const struct instrument_method *m)
{
    int32_t at = -1;
    if (m->advice != INSTRUMENT_INJECTED)
        return -1;
    lock_take(&watch.lock);
    if (is_asked(m->class_name, m->name, false)) {
        at = add(m);
        if (at < 0) {
            is_asked(m->class_name, m->name, true);
            atomic_fetch_add(&watch.left, 1);
        }
    }
    lock_give(&watch.lock);
    return at;
}

void method_watch_leave(struct cpool_utf8 class_name, struct cpool_utf8 name,
                        enum instrument_verdict why)
{
    bool is_met = false;
    lock_take(&watch.lock);
    for (int i = 0; i < watch.value_count; i++) {
        struct value *v = &watch.values[i];
        if (!matches_method(&v->one, class_name.bytes, class_name.len, name.bytes, name.len))
            continue;
        v->is_codeless |= why == INSTRUMENT_NO_CODE;
        if (why != INSTRUMENT_NO_CODE)
            v->left = why;
        is_met |= why != INSTRUMENT_NO_CODE;
    }
    lock_give(&watch.lock);
    if (is_met)
        atomic_fetch_add(&watch.left, 1);
}

/* ---- what a value has matched */

struct matched {
    uint32_t methods, classes, first; /* `first`: the row of one of them */
};

static struct matched matched_by(const struct options_method_one *one)
{
    struct matched m = {0};
    for (uint32_t at = 0; at < watch.count; at++) {
        const char *klass = methods_names(watch.rows[at].number).class_name;
        bool is_met = false;
        if (!matches_row(one, at))
            continue;
        if (m.methods++ == 0)
            m.first = at;
        for (uint32_t i = at; i > m.first && !is_met; i--)
            is_met = strcmp(methods_names(watch.rows[i - 1].number).class_name, klass) == 0 &&
                     matches_row(one, i - 1);
        m.classes += !is_met;
    }
    return m;
}

/* Why a value has matched nothing. */
static const char *why_not(const struct value *v)
{
    if (v->is_full)
        return "there is no room for more methods: name fewer, or raise mem=";
    if (v->left != INSTRUMENT_INJECTED)
        return instrument_verdict_text(v->left);
    return v->is_codeless ? "what matches has no code: name the classes that implement it"
                          : "no loaded class has such a method";
}

/* Write the line for a value. */
static void describe(const struct value *v, const struct matched *m, char *ret, size_t size)
{
    if (m->methods == 0) {
        snprintf(ret, size, "matches nothing: %s", why_not(v));
        return;
    }
    const struct methods_names n = methods_names(watch.rows[m->first].number);
    int len = snprintf(ret, size, "%u method%s of %u class%s, such as ", m->methods,
                       m->methods == 1 ? "" : "s", m->classes, m->classes == 1 ? "" : "es");
    snprintf(ret + len, size - (size_t)len, "%s::%s%s", n.class_name, n.name,
             v->is_full ? "; others found no room" : "");
    for (char *at = ret + len; *at; at++)
        *at = *at == '/' ? '.' : *at;
}

/* Write the line for a value, if it is to be printed now. Returns whether it is. */
static bool take_line(struct value *v, bool with_none, bool is_again, char *ret, size_t size)
{
    const struct matched m = matched_by(&v->one);
    if ((m.methods == 0 && !with_none) || (v->is_said && !(is_again && m.methods == 0)))
        return false;
    v->is_said = true;
    describe(v, &m, ret, size);
    return true;
}

/* Lines are printed without the lock, because standard error may be slow. */
static void say(const char *text, bool with_none, bool is_again)
{
    char line[LINE];
    bool is_taken = false;
    lock_take(&watch.lock);
    for (int i = 0; i < watch.value_count; i++)
        if (strcmp(watch.values[i].one.text, text) == 0)
            is_taken = take_line(&watch.values[i], with_none, is_again, line, sizeof(line));
    lock_give(&watch.lock);
    if (is_taken)
        log_note("method=%s: %s", text, line);
}

void method_watch_say(bool has_classes)
{
    char text[OPTIONS_METHOD_TEXT];
    for (int i = 0; i < VALUES; i++) {
        text[0] = '\0';
        lock_take(&watch.lock);
        if (i < watch.value_count)
            snprintf(text, sizeof(text), "%s", watch.values[i].one.text);
        lock_give(&watch.lock);
        if (text[0])
            say(text, has_classes, false);
    }
}

void method_watch_say_end(const struct options_method *list)
{
    for (int i = 0; i < list->count; i++)
        say(list->one[i].text, true, true);
}

void method_watch_unmatched(const struct options_method *list, char *ret, size_t size)
{
    ret[0] = '\0';
    lock_take(&watch.lock);
    for (int i = 0; i < list->count && !ret[0]; i++)
        if (matched_by(&list->one[i]).methods == 0)
            snprintf(ret, size, "%s", list->one[i].text);
    lock_give(&watch.lock);
}

/* ---- sums */

void method_watch_clear(void)
{
    for (uint32_t at = 0; at < watch.count; at++)
        for (int i = 0; i < COPIES; i++) {
            struct sums *s = &watch.rows[at].of[i];
            s->calls = s->total = s->most = s->least = 0;
        }
    watch.left = 0;
}

void method_watch_count(uint32_t at, uint64_t ns)
{
    struct sums *s = &watch.rows[at].of[stripe_of_thread() % COPIES];
    atomic_fetch_add_explicit(&s->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->total, ns, memory_order_relaxed);
    uint64_t most = atomic_load_explicit(&s->most, memory_order_relaxed);
    while (ns > most && !atomic_compare_exchange_weak_explicit(
                            &s->most, &most, ns, memory_order_relaxed, memory_order_relaxed))
        ;
    uint64_t least = atomic_load_explicit(&s->least, memory_order_relaxed);
    while ((least == 0 || ns + 1 < least) &&
           !atomic_compare_exchange_weak_explicit(&s->least, &least, ns + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

uint64_t method_watch_least_ns(uint32_t at)
{
    return atomic_load_explicit(&watch.rows[at].least_ns, memory_order_relaxed);
}

uint32_t method_watch_count_of(void)
{
    return atomic_load_explicit(&watch.count, memory_order_acquire);
}

uint32_t method_watch_number(uint32_t at)
{
    return watch.rows[at].number;
}

/* A call that is being added may be in some of the words. */
struct event_timing method_watch_sums(uint32_t at)
{
    struct event_timing t = {.least = UINT64_MAX};
    for (int i = 0; i < COPIES; i++) {
        const struct sums *s = &watch.rows[at].of[i];
        uint64_t least = s->least;
        if (!least)
            continue;
        t.calls += s->calls;
        t.total += s->total;
        t.least = least - 1 < t.least ? least - 1 : t.least;
        t.most = s->most > t.most ? s->most : t.most;
    }
    t.least = t.calls ? t.least : 0;
    return t;
}

const struct options_method_one *method_watch_of(const struct options_method *list, uint32_t at)
{
    const struct options_method_one *found = NULL;
    for (int i = 0; i < list->count; i++) {
        const struct options_method_one *one = &list->one[i];
        if (matches_row(one, at) &&
            (!found ||
             (one->has_events && (!found->has_events || one->least_ns < found->least_ns))))
            found = one;
    }
    return found;
}

uint32_t method_watch_left(void)
{
    return atomic_load(&watch.left);
}
