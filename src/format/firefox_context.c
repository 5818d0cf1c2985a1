/*
 * firefox_context.c - see firefox_context.h.
 *
 * Source: Firefox Profiler, docs-developer/markers.md: a label names fields in braces.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/firefox_context.h"
#include "base/sink.h"
#include "format/json_out.h"
#include "profile/context.h"
#include "profile/profile.h"

void firefox_context_put_fields(struct sink *s, struct profile *p, const char *before)
{
    const struct context_set *contexts = profile_contexts(p);
    for (uint32_t key = 0; key < contexts->key_count; key++) {
        sink_printf(s, "%s{\"key\":\"context%u\",\"label\":", before, key);
        json_out_string(s, p, contexts->keys[key].name);
        sink_text(s, ",\"format\":\"string\"}");
        before = ",";
    }
}

void firefox_context_put_values(struct sink *s, struct profile *p, context_id context)
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

void firefox_context_put_schema(struct sink *s, struct profile *p)
{
    sink_text(s, "{\"name\":\"" FIREFOX_CONTEXT_TYPE "\",");
    put_label(s, p, "chartLabel");
    put_label(s, p, "tableLabel");
    sink_text(s, "\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":[");
    firefox_context_put_fields(s, p, "");
    sink_text(s, "]}");
}
