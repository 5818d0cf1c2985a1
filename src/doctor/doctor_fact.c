/*
 * doctor_fact.c - see doctor_fact.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "doctor/doctor_fact.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/plain.h"
#include "base/sink.h"
#include "command/jsonscan.h"
#include "format/json_out.h"

const char *const doctor_fact_names[DOCTOR_FACTS] = {
#define FACT(id, name, from) [DOCTOR_##id] = (name),
#include "doctor/doctor_fact.def"
#undef FACT
};

void doctor_fact_init(struct doctor_facts *f)
{
    memset(f, 0, sizeof(*f));
    for (int i = 0; i < DOCTOR_FACTS; i++)
        f->all[i].first = f->all[i].last = NAN;
}

void doctor_fact_set(struct doctor_facts *f, enum doctor_fact_id id, double value, bool is_first)
{
    if (is_first)
        f->all[id].first = value;
    f->all[id].last = value;
}

void doctor_fact_say(struct doctor_facts *f, enum doctor_fact_id id, const char *format, ...)
{
    char text[2 * DOCTOR_FACT_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    plain_copy(f->all[id].text, DOCTOR_FACT_TEXT, text);
}

double doctor_fact_now(const struct doctor_facts *f, enum doctor_fact_id id)
{
    return f->all[id].last;
}

double doctor_fact_grown(const struct doctor_facts *f, enum doctor_fact_id id)
{
    return f->all[id].last - f->all[id].first;
}

double doctor_fact_rate(const struct doctor_facts *f, enum doctor_fact_id id)
{
    return f->seconds > 0 ? doctor_fact_grown(f, id) / f->seconds : NAN;
}

/* ---- JSON */

static void put_number(struct sink *out, double value)
{
    if (isfinite(value))
        sink_printf(out, "%.15g", value);
    else
        sink_text(out, "null");
}

static void put_text(struct sink *out, const char *before, const char *text)
{
    sink_text(out, before);
    json_out_text(out, text, strlen(text));
}

void doctor_fact_write(struct sink *out, const struct doctor_facts *f)
{
    const char *parting = "\n";
    sink_printf(out, "\"pid\":%d", (int)f->pid);
    put_text(out, ",\"target\":", f->target);
    put_text(out, ",\"version\":", f->version);
    sink_printf(out, ",\"seconds\":%.3f,\"facts\":{", f->seconds);
    for (int i = 0; i < DOCTOR_FACTS; i++) {
        const struct doctor_fact *fact = &f->all[i];
        if (!isfinite(fact->last))
            continue;
        sink_printf(out, "%s\"%s\":{\"first\":", parting, doctor_fact_names[i]);
        put_number(out, fact->first);
        sink_text(out, ",\"last\":");
        put_number(out, fact->last);
        if (fact->text[0] != '\0')
            put_text(out, ",\"text\":", fact->text);
        sink_text(out, "}");
        parting = ",\n";
    }
    sink_text(out, "}");
}

static double number_of(const struct jsonscan *s, enum jsonscan_piece piece)
{
    char *end;
    double value = piece == JSONSCAN_OTHER ? strtod(s->text.bytes, &end) : NAN;
    return piece == JSONSCAN_OTHER && end > s->text.bytes && isfinite(value) ? value : NAN;
}

/* Behind the name of a fact. */
static bool read_fact(struct jsonscan *s, struct doctor_fact *fact)
{
    enum jsonscan_piece piece = jsonscan_next(s);
    if (piece != JSONSCAN_OBJECT || !fact)
        return jsonscan_skip(s, piece);
    while ((piece = jsonscan_next(s)) == JSONSCAN_NAME) {
        double *to = jsonscan_is(s, "first")  ? &fact->first
                     : jsonscan_is(s, "last") ? &fact->last
                                              : NULL;
        bool is_text = jsonscan_is(s, "text");
        piece = jsonscan_next(s);
        if (to)
            *to = number_of(s, piece);
        if (is_text && piece == JSONSCAN_STRING)
            plain_copy(fact->text, DOCTOR_FACT_TEXT, s->text.bytes);
        if (!jsonscan_skip(s, piece))
            return false;
    }
    return piece == JSONSCAN_OBJECT_END;
}

static bool read_facts(struct jsonscan *s, struct doctor_facts *f)
{
    enum jsonscan_piece piece = jsonscan_next(s);
    if (piece != JSONSCAN_OBJECT)
        return jsonscan_skip(s, piece);
    while ((piece = jsonscan_next(s)) == JSONSCAN_NAME) {
        struct doctor_fact *fact = NULL;
        for (int i = 0; i < DOCTOR_FACTS && !fact; i++)
            fact = jsonscan_is(s, doctor_fact_names[i]) ? &f->all[i] : NULL;
        if (!read_fact(s, fact))
            return false;
    }
    return piece == JSONSCAN_OBJECT_END;
}

/* Behind the '{' of a JVM. */
static bool read_jvm(struct jsonscan *s, struct doctor_facts *f, bool *ret_has_facts)
{
    enum jsonscan_piece piece;
    bool is_good = true;
    doctor_fact_init(f);
    *ret_has_facts = false;
    while (is_good && (piece = jsonscan_next(s)) == JSONSCAN_NAME) {
        char *to = jsonscan_is(s, "target")    ? f->target
                   : jsonscan_is(s, "version") ? f->version
                                               : NULL;
        bool is_pid = jsonscan_is(s, "pid"), is_seconds = jsonscan_is(s, "seconds");
        if (jsonscan_is(s, "facts")) {
            *ret_has_facts = true;
            is_good = read_facts(s, f);
            continue;
        }
        piece = jsonscan_next(s);
        double number = number_of(s, piece);
        if (to && piece == JSONSCAN_STRING)
            plain_copy(to, DOCTOR_FACT_NAME, s->text.bytes);
        if (is_pid && number > 0 && number < INT32_MAX)
            f->pid = (pid_t)number;
        if (is_seconds && number >= 0)
            f->seconds = number;
        is_good = jsonscan_skip(s, piece);
    }
    return is_good && piece == JSONSCAN_OBJECT_END;
}

int doctor_fact_read(const char *text, size_t len, void (*take)(void *, struct doctor_facts *),
                     void *with)
{
    struct jsonscan s;
    enum jsonscan_piece piece;
    struct doctor_facts *f = malloc(sizeof(*f));
    bool has_facts = false, is_good = f != NULL;
    uint32_t count = 0;
    jsonscan_init(&s, text, len);
    while (is_good && (piece = jsonscan_next(&s)) != JSONSCAN_END && piece != JSONSCAN_BAD) {
        if (piece != JSONSCAN_OBJECT)
            continue;
        is_good = read_jvm(&s, f, &has_facts) && has_facts;
        if (is_good)
            take(with, f);
        count += is_good;
    }
    is_good = is_good && !s.is_bad && count > 0;
    jsonscan_done(&s);
    free(f);
    return !f ? -ENOMEM : is_good ? 0 : E_FORMAT;
}
