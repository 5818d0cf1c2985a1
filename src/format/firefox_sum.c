/*
 * firefox_sum.c - see firefox_sum.h.
 *
 * Fields are called by the numbers of the values.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/firefox_sum.h"
#include "base/sink.h"
#include "format/firefox_context.h"
#include "format/firefox_ms.h"

void firefox_sum_put_value(struct sink *s, enum value type, uint64_t value)
{
    if (event_value_types[type].unit == VALUE_IS_NS)
        firefox_ms_put(s, value);
    else
        sink_printf(s, "%llu", (unsigned long long)value);
}

void firefox_sum_put_values(struct sink *s, enum event_kind kind, const uint64_t *values)
{
    sink_printf(s, "\n{\"type\":\"%s\"", event_types[kind].word);
    for (uint32_t v = 0; v < event_values(kind); v++) {
        sink_printf(s, ",\"value%u\":", v);
        firefox_sum_put_value(s, event_types[kind].values[v], values[v]);
    }
}

void firefox_sum_put_schema(struct sink *s, struct profile *p, enum event_kind kind)
{
    static const char *const formats[] = {[VALUE_IS_COUNT] = "integer",
                                          [VALUE_IS_NS] = "milliseconds",
                                          [VALUE_IS_BYTES] = "bytes",
                                          [VALUE_IS_LEVEL] = "bytes"};
    const struct event_type *type = &event_types[kind];
    sink_printf(s,
                "{\"name\":\"%s\",\"tableLabel\":\"%s\",\"display\":[\"marker-chart\","
                "\"marker-table\"],\"fields\":[",
                type->word, type->title);
    for (uint32_t v = 0; v < event_values(kind); v++)
        sink_printf(s, "%s{\"key\":\"value%u\",\"label\":\"%s\",\"format\":\"%s\"}", v ? "," : "",
                    v, event_value_types[type->values[v]].words,
                    formats[event_value_types[type->values[v]].unit]);
    firefox_context_put_fields(s, p, ",");
    sink_text(s, "]}");
}
