/*
 * firefox_marker.c - see firefox_marker.h.
 *
 * Source: Firefox Profiler, docs-developer/markers.md: a label names fields in braces. The field of
 * value N of a kind is named valueN.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/firefox_marker.h"
#include <inttypes.h>
#include "base/sink.h"
#include "format/json_out.h"
#include "profile/context.h"
#include "profile/profile.h"
#include "safe/clock.h"

void firefox_marker_put_ms(struct sink *s, uint64_t ns)
{
    sink_printf(s, "%" PRIu64 ".%06" PRIu64, ns / NS_PER_MS, ns % NS_PER_MS);
}

/* ---- what threads worked for */

void firefox_marker_put_context_fields(struct sink *s, struct profile *p, const char *before)
{
    const struct context_set *contexts = profile_contexts(p);
    for (uint32_t key = 0; key < contexts->key_count; key++) {
        sink_printf(s, "%s{\"key\":\"context%u\",\"label\":", before, key);
        json_out_string(s, p, contexts->keys[key].name);
        sink_text(s, ",\"format\":\"string\"}");
        before = ",";
    }
}

void firefox_marker_put_context(struct sink *s, struct profile *p, context_id context)
{
    const struct context_set *contexts = profile_contexts(p);
    for (uint32_t key = 0; key < contexts->key_count; key++) {
        string_id value = context_value(contexts, context, (int)key);
        if (!value)
            continue;
        sink_printf(s, ",\"context%u\":", key);
        json_out_string(s, p, value);
    }
}

/* "{marker.data.context0} {marker.data.context1}" */
static void put_label(struct sink *s, struct profile *p, const char *name)
{
    sink_printf(s, "\"%s\":\"", name);
    for (uint32_t key = 0; key < profile_contexts(p)->key_count; key++)
        sink_printf(s, "%s{marker.data.context%u}", key ? " " : "", key);
    sink_text(s, "\",");
}

void firefox_marker_put_context_schema(struct sink *s, struct profile *p)
{
    sink_text(s, "{\"name\":\"" FIREFOX_MARKER_CONTEXT "\",");
    put_label(s, p, "chartLabel");
    put_label(s, p, "tableLabel");
    sink_text(s, "\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":[");
    firefox_marker_put_context_fields(s, p, "");
    sink_text(s, "]}");
}

/* ---- sums */

void firefox_marker_put_value(struct sink *s, const struct kind_value *type, uint64_t value)
{
    if (type->unit == KIND_UNIT_NS)
        firefox_marker_put_ms(s, value);
    else
        sink_printf(s, "%llu", (unsigned long long)value);
}

void firefox_marker_put_sum(struct sink *s, enum kind_id kind, const uint64_t *values)
{
    sink_printf(s, "\n{\"type\":\"%s\"", kind_all[kind]->word);
    for (uint32_t v = 0; v < kind_value_count(kind); v++) {
        sink_printf(s, ",\"value%u\":", v);
        firefox_marker_put_value(s, &kind_all[kind]->values[v], values[v]);
    }
}

void firefox_marker_put_sum_schema(struct sink *s, struct profile *p, enum kind_id kind)
{
    static const char *const formats[] = {[KIND_UNIT_COUNT] = "integer",
                                          [KIND_UNIT_NS] = "milliseconds",
                                          [KIND_UNIT_BYTES] = "bytes",
                                          [KIND_UNIT_LEVEL] = "bytes"};
    const struct kind *type = kind_all[kind];
    sink_printf(s,
                "{\"name\":\"%s\",\"tableLabel\":\"%s\",\"display\":[\"marker-chart\","
                "\"marker-table\"],\"fields\":[",
                type->word, type->title);
    for (uint32_t v = 0; v < kind_value_count(kind); v++)
        sink_printf(s, "%s{\"key\":\"value%u\",\"label\":\"%s\",\"format\":\"%s\"}", v ? "," : "",
                    v, type->values[v].words, formats[type->values[v].unit]);
    firefox_marker_put_context_fields(s, p, ",");
    sink_text(s, "]}");
}
