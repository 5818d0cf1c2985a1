/*
 * firefox_sum.c - see firefox_sum.h.
 *
 * The field of value N is named valueN.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/firefox_sum.h"
#include "base/sink.h"
#include "format/firefox_context.h"
#include "format/firefox_ms.h"

void firefox_sum_put_value(struct sink *s, const struct kind_value *type, uint64_t value)
{
    if (type->unit == KIND_UNIT_NS)
        firefox_ms_put(s, value);
    else
        sink_printf(s, "%llu", (unsigned long long)value);
}

void firefox_sum_put_values(struct sink *s, enum kind_id kind, const uint64_t *values)
{
    sink_printf(s, "\n{\"type\":\"%s\"", kind_all[kind]->word);
    for (uint32_t v = 0; v < kind_value_count(kind); v++) {
        sink_printf(s, ",\"value%u\":", v);
        firefox_sum_put_value(s, &kind_all[kind]->values[v], values[v]);
    }
}

void firefox_sum_put_schema(struct sink *s, struct profile *p, enum kind_id kind)
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
    firefox_context_put_fields(s, p, ",");
    sink_text(s, "]}");
}
