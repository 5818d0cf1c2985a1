/*
 * jfr_events_html.c - see jfr_events_html.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_events_html.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/sink.h"
#include "jfrtool/jfr_census.h"
#include "jfrtool/jfr_events_page.h"
#include "jfrtool/jfr_shown_event.h"
#include "format/json_out.h"

enum { SPAN = 96 };

static void put_text(struct sink *s, const char *text)
{
    json_out_text(s, text ? text : "", text ? strlen(text) : 0);
}

static void put_member(struct sink *s, const char *name, const char *text)
{
    sink_printf(s, ",\"%s\":", name);
    put_text(s, text);
}

/* Writes what is true of the row but not of its whole event: "27 and later, experimental". */
static void put_span(struct sink *s, const struct jfr_shown_event *e,
                     const struct jfr_catalogue_row *row)
{
    const struct jfr_catalogue_row *event = e->facts.rows;
    const char *mark = row->is_experimental && !event->is_experimental ? "experimental"
                       : row->is_contextual                            ? "contextual"
                                                                       : "";
    char span[SPAN] = "", text[SPAN + sizeof(", experimental")];
    if (row->releases != event->releases)
        jfr_catalogue_span(row->releases, span, sizeof(span));
    snprintf(text, sizeof(text), "%s%s%s", span, *span != '\0' && *mark != '\0' ? ", " : "", mark);
    put_text(s, text);
}

/* Writes [name, type, label, sentence, JDKs] for each field, or [name, default, profile, JDKs] for
 * each setting. */
static void put_rows(struct sink *s, const struct jfr_shown_event *e, enum jfr_catalogue_kind kind)
{
    const char *comma = "";
    for (size_t i = 0; i < e->facts.count; i++) {
        const struct jfr_catalogue_row *row = &e->facts.rows[i];
        bool is_field = kind == JFR_CATALOGUE_FIELD;
        if (row->kind != kind || !(row->releases & e->releases))
            continue;
        sink_printf(s, "%s[", comma);
        put_text(s, row->name);
        sink_text(s, ",");
        put_text(s, !is_field ? row->by_default : *row->unit != '\0' ? row->unit : row->type);
        sink_text(s, ",");
        put_text(s, is_field ? row->label : row->by_profile);
        sink_text(s, ",");
        if (is_field) {
            put_text(s, jfr_shown_event_about(e, row));
            sink_text(s, ",");
        }
        put_span(s, e, row);
        sink_text(s, "]");
        comma = ",";
    }
}

static void put_event(struct sink *s, const struct jfr_shown_event *e)
{
    const struct jfr_catalogue_row *event = e->facts.rows;
    const struct jfr_census_row *row = e->census ? jfr_census_find(e->census, event->name) : NULL;
    char span[SPAN], room[1024];
    jfr_catalogue_span(event->releases, span, sizeof(span));
    sink_text(s, "{\"name\":");
    put_text(s, event->name);
    put_member(s, "label", event->label);
    put_member(s, "about", jfr_shown_event_sentence(e));
    put_member(s, "categories", event->categories);
    put_member(s, "jdks", event->releases == ~0u ? "" : span);
    sink_printf(s, ",\"experimental\":%s,\"internal\":%s,\"fields\":[",
                event->is_experimental ? "true" : "false",
                jfr_catalogue_is_internal(event) ? "true" : "false");
    put_rows(s, e, JFR_CATALOGUE_FIELD);
    sink_text(s, "],\"settings\":[");
    put_rows(s, e, JFR_CATALOGUE_SETTING);
    sink_text(s, "]");
    if (e->census) {
        sink_printf(s, ",\"count\":%" PRIu64 ",\"bytes\":%" PRIu64, row ? row->count : 0,
                    row ? row->bytes : 0);
        put_member(s, "why", jfr_shown_event_why_none(e, room, sizeof(room)));
    }
    sink_text(s, "}");
}

void jfr_events_html_put(struct sink *s, const struct jfr_shown_event *events, size_t count)
{
    sink_bytes(s, jfr_events_page_head, jfr_events_page_head_len);
    sink_text(s, "{\"file\":");
    put_text(s, count > 0 ? events[0].file : NULL);
    sink_text(s, ",\"events\":[");
    for (size_t i = 0; i < count; i++) {
        sink_text(s, i > 0 ? ",\n" : "\n");
        put_event(s, &events[i]);
    }
    sink_text(s, "]}");
    sink_bytes(s, jfr_events_page_tail, jfr_events_page_tail_len);
}
