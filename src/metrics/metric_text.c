/*
 * metric_text.c - see metric_text.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "metrics/metric_text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/sink.h"
#include "metrics/metric.h"

static const char *const unit_words[] = {
    [METRIC_UNIT_NONE] = "", [METRIC_UNIT_BYTES] = "bytes", [METRIC_UNIT_SECONDS] = "seconds"};

static void put_name(struct sink *out, const char *name)
{
    for (; *name != '\0'; name++)
        sink_u1(out, (uint8_t)(*name == '.' ? '_' : *name));
}

/* The name of a family: that of its samples without the suffix of the type. */
static void put_family(struct sink *out, const struct metric *m)
{
    put_name(out, m->name);
    if (m->unit != METRIC_UNIT_NONE)
        sink_printf(out, "_%s", unit_words[m->unit]);
}

/* In a value of a label a backslash, a quote and a line end have a backslash in front. */
static void put_label(struct sink *out, char *separator, const char *name, const char *value)
{
    sink_u1(out, (uint8_t)*separator);
    *separator = ',';
    put_name(out, name);
    sink_text(out, "=\"");
    for (; *value != '\0'; value++) {
        if (*value == '\\' || *value == '"')
            sink_u1(out, '\\');
        if (*value == '\n')
            sink_text(out, "\\n");
        else
            sink_u1(out, (uint8_t)*value);
    }
    sink_u1(out, '"');
}

/* `le` is the bound of a bucket, or NULL. */
static void put_labels(struct sink *out, const struct metric_set *s,
                       const struct metric_sample *sample, const char *le)
{
    char separator = '{', number[16];
    if (sample->jvm >= 0) {
        const struct metric_jvm *jvm = &s->jvms[sample->jvm];
        snprintf(number, sizeof(number), "%d", (int)jvm->pid);
        put_label(out, &separator, "process.pid", number);
        if (jvm->main[0] != '\0')
            put_label(out, &separator, "jvm.main_class", jvm->main);
        if (jvm->container[0] != '\0')
            put_label(out, &separator, "container.id", jvm->container);
    }
    for (int i = 0; i < METRIC_LABELS && sample->labels[i].name; i++)
        put_label(out, &separator, sample->labels[i].name, sample->labels[i].value);
    if (le)
        put_label(out, &separator, "le", le);
    if (separator == ',')
        sink_u1(out, '}');
}

/* A number that is a whole number is written without a fraction. */
static void put_number(struct sink *out, double value)
{
    const double exact = 9007199254740992.0;
    if (value == floor(value) && fabs(value) < exact)
        sink_printf(out, " %.0f\n", value);
    else
        sink_printf(out, " %.15g\n", value);
}

static void put_sample(struct sink *out, const struct metric_set *s, const struct metric *m,
                       const struct metric_sample *sample, const char *suffix)
{
    put_family(out, m);
    sink_text(out, suffix);
    put_labels(out, s, sample, strcmp(suffix, "_bucket") == 0 ? "+Inf" : NULL);
}

static void put_samples(struct sink *out, const struct metric_set *s, const struct metric *m,
                        const struct metric_sample *sample)
{
    if (m->type != METRIC_TYPE_HISTOGRAM) {
        put_sample(out, s, m, sample,
                   m->type == METRIC_TYPE_COUNTER ? "_total"
                   : m->type == METRIC_TYPE_INFO  ? "_info"
                                                  : "");
        put_number(out, sample->value);
        return;
    }
    put_sample(out, s, m, sample, "_bucket");
    put_number(out, (double)sample->count);
    put_sample(out, s, m, sample, "_count");
    put_number(out, (double)sample->count);
    put_sample(out, s, m, sample, "_sum");
    put_number(out, sample->value);
}

static void put_head(struct sink *out, const struct metric *m)
{
    sink_text(out, "# HELP ");
    put_family(out, m);
    sink_printf(out, " %s.\n# TYPE ", m->help);
    put_family(out, m);
    sink_printf(out, " %s\n", metric_type_words[m->type]);
    if (m->unit == METRIC_UNIT_NONE)
        return;
    sink_text(out, "# UNIT ");
    put_family(out, m);
    sink_printf(out, " %s\n", unit_words[m->unit]);
}

void metric_text_write(struct sink *out, const struct metric_set *s)
{
    for (int id = 0; id < METRIC_COUNT; id++) {
        bool has_head = false;
        for (uint32_t i = 0; i < s->count; i++) {
            if ((int)s->samples[i].id != id)
                continue;
            if (!has_head)
                put_head(out, &metric_all[id]);
            has_head = true;
            put_samples(out, s, &metric_all[id], &s->samples[i]);
        }
    }
    sink_text(out, "# EOF\n");
}
