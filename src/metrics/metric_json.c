/*
 * metric_json.c - see metric_json.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "metrics/metric_json.h"
#include <string.h>
#include "base/sink.h"
#include "format/json_out.h"
#include "metrics/metric.h"

/* Units as UCUM writes them. */
static const char *const unit_words[] = {
    [METRIC_UNIT_NONE] = "1", [METRIC_UNIT_BYTES] = "By", [METRIC_UNIT_SECONDS] = "s"};

static void put_text(struct sink *out, const char *text)
{
    json_out_text(out, text, strlen(text));
}

static void put_point(struct sink *out, const struct metric *m, const struct metric_sample *sample)
{
    sink_u1(out, '{');
    if (sample->labels[0].name) {
        sink_text(out, "\"attributes\":{");
        for (int i = 0; i < METRIC_LABELS && sample->labels[i].name; i++) {
            sink_text(out, i > 0 ? "," : "");
            put_text(out, sample->labels[i].name);
            sink_u1(out, ':');
            put_text(out, sample->labels[i].value);
        }
        sink_text(out, "},");
    }
    if (m->type == METRIC_TYPE_HISTOGRAM)
        sink_printf(out, "\"count\":%llu,\"sum\":%.15g}", (unsigned long long)sample->count,
                    sample->value);
    else
        sink_printf(out, "\"value\":%.15g}", sample->value);
}

/* Writes the metrics of one JVM, or those of all JVMs together. */
static void put_metrics(struct sink *out, const struct metric_set *s, int32_t jvm)
{
    const char *before = "";
    sink_text(out, "\"metrics\":{");
    for (int id = 0; id < METRIC_COUNT; id++) {
        const struct metric *m = &metric_all[id];
        bool has_head = false;
        for (uint32_t i = 0; i < s->count; i++) {
            const struct metric_sample *sample = &s->samples[i];
            if ((int)sample->id != id || sample->jvm != jvm)
                continue;
            if (has_head)
                sink_u1(out, ',');
            else
                sink_printf(out, "%s\n\"%s\":{\"type\":\"%s\",\"unit\":\"%s\",\"points\":[", before,
                            m->name, metric_type_words[m->type], unit_words[m->unit]);
            has_head = true;
            put_point(out, m, sample);
        }
        if (has_head) {
            sink_text(out, "]}");
            before = ",";
        }
    }
    sink_u1(out, '}');
}

void metric_json_write(struct sink *out, const struct metric_set *s)
{
    sink_text(out, "{\"jvms\":[");
    for (uint32_t i = 0; i < s->jvm_count; i++) {
        const struct metric_jvm *jvm = &s->jvms[i];
        sink_printf(out, "%s\n{\"pid\":%d,\"main\":", i > 0 ? "," : "", (int)jvm->pid);
        if (jvm->main[0] != '\0')
            put_text(out, jvm->main);
        else
            sink_text(out, "null");
        sink_text(out, ",\"container\":");
        if (jvm->container[0] != '\0')
            put_text(out, jvm->container);
        else
            sink_text(out, "null");
        sink_u1(out, ',');
        put_metrics(out, s, (int32_t)i);
        sink_u1(out, '}');
    }
    sink_text(out, "],\n");
    put_metrics(out, s, METRIC_ALL_JVMS);
    sink_text(out, "}\n");
}
