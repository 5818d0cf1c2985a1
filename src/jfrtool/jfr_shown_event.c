/*
 * jfr_shown_event.c - see jfr_shown_event.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_shown_event.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/plain.h"
#include "base/plural.h"
#include "base/sink.h"
#include "format/json_out.h"
#include "jfrtool/jfr_census.h"
#include "jfrtool/jfr_events_page.h"

enum { NAME_WIDTH = 32, FIELD_WIDTH = 24, UNIT_WIDTH = 14, HEAD_WIDTH = 12, SPAN = 96 };

/* Writes a text of the file without characters that could control a terminal. */
static void put(struct sink *s, const char *text)
{
    plain_put(s, text, strlen(text));
}

/* Writes a cell; `width` 0: it is the last of its line. */
static void put_cell(struct sink *s, const char *text, size_t width)
{
    size_t len = strlen(text);
    put(s, text);
    if (width > 0)
        sink_printf(s, "%*s", len < width ? (int)(width - len) : 1, "");
}

static const struct jfr_census_row *counted(const struct jfr_shown_event *e)
{
    return e->census ? jfr_census_find(e->census, e->facts.rows->name) : NULL;
}

/* One sentence about the event: ours, or the file's. */
static const char *sentence_of(const struct jfr_shown_event *e)
{
    const char *ours = jfr_catalogue_sentence(e->facts.rows->name);
    const struct jfr_census_row *row = counted(e);
    if (!ours && row && row->sentence)
        return row->sentence;
    if (!ours && e->facts.rows->label)
        return e->facts.rows->label;
    return ours ? ours : "";
}

/* One sentence about a field of the event: ours, or the file's; "": there is none. */
static const char *about_of(const struct jfr_shown_event *e, const struct jfr_catalogue_row *field)
{
    const struct jfr_catalogue_sentence *ours =
        jfr_catalogue_field_sentence(e->facts.rows->name, field->name);
    return ours ? ours->text : field->about ? field->about : "";
}

/* Why the file has no such event; NULL: it has some. The text may be in `room`. */
static const char *why_none(const struct jfr_shown_event *e, char *room, size_t size)
{
    const struct jfr_census_row *row = counted(e);
    if (!row)
        return "none: its JVM does not have this event";
    if (row->count > 0)
        return NULL;
    if (!row->settings)
        return "none: the file does not say whether it was enabled";
    if (row->was_disabled && !row->was_enabled)
        return "none: it was not enabled";
    if (row->was_disabled) {
        snprintf(room, size, "none: it was enabled for a part of the time (%s)", row->settings);
        return room;
    }
    if (strstr(row->settings, "threshold="))
        snprintf(room, size, "none: it never happened, or never took as long as its threshold (%s)",
                 row->settings);
    else
        snprintf(room, size, "none: it was enabled and never happened (%s)", row->settings);
    return room;
}

/* ---- text */

static void put_count(struct sink *s, const struct jfr_shown_event *e,
                      const struct jfr_census_row *row)
{
    double seconds = (double)e->census->duration_ns / 1e9;
    sink_printf(s, "%" PRIu64 " event%s, ", row->count, plural_s(row->count));
    if (seconds > 0) {
        double rate = (double)row->count / seconds;
        sink_printf(s, rate < 100 ? "%.3g a second, " : "%.0f a second, ", rate);
    }
    sink_printf(s, "%" PRIu64 " bytes", row->bytes);
}

void jfr_shown_event_line(struct sink *s, const struct jfr_shown_event *e)
{
    const struct jfr_census_row *row = counted(e);
    char span[SPAN];
    put_cell(s, e->facts.rows->name, NAME_WIDTH);
    if (e->census) {
        sink_printf(s, "%10" PRIu64 "  %12" PRIu64 "  ", row ? row->count : 0,
                    row ? row->bytes : 0);
    } else {
        jfr_catalogue_span(e->facts.rows->releases, span, sizeof(span));
        put_cell(s, span, UNIT_WIDTH);
    }
    put(s, sentence_of(e));
    sink_text(s, "\n");
}

static void put_head(struct sink *s, const char *word)
{
    sink_printf(s, "  %-*s", HEAD_WIDTH, word);
}

/* Writes "Java Virtual Machine, GC". */
static void put_categories(struct sink *s, const char *categories)
{
    for (size_t len; *categories != '\0'; categories += len + (categories[len] == '|')) {
        len = strcspn(categories, "|");
        plain_put(s, categories, len);
        sink_text(s, categories[len] == '|' ? ", " : "");
    }
    sink_text(s, "\n");
}

/* Ends a row: says that the row is experimental (if its event is not) or contextual, and which JDKs
 * have it (if they are not the JDKs that have its event). */
static void put_reserve(struct sink *s, const struct jfr_shown_event *e,
                        const struct jfr_catalogue_row *row)
{
    char span[SPAN];
    if (row->is_experimental && !e->facts.rows->is_experimental)
        sink_text(s, "  (experimental)");
    if (row->is_contextual)
        sink_text(s, "  (contextual: a key for all that happens within the event)");
    if ((row->releases & e->releases) != (e->facts.rows->releases & e->releases)) {
        jfr_catalogue_span(row->releases, span, sizeof(span));
        sink_printf(s, "  (JDK %s)", span);
    }
    sink_text(s, "\n");
}

static void put_field(struct sink *s, const struct jfr_shown_event *e,
                      const struct jfr_catalogue_row *row)
{
    put_cell(s, row->name, FIELD_WIDTH);
    const char *about = about_of(e, row), *label = row->label ? row->label : "";
    bool is_last = *label == '\0' && *about == '\0';

    put_cell(s, *row->unit != '\0' ? row->unit : row->type, is_last ? 0 : UNIT_WIDTH);
    put(s, label);
    sink_text(s, *label != '\0' && *about != '\0' ? " - " : "");
    put(s, about);
    put_reserve(s, e, row);
}

static void put_setting(struct sink *s, const struct jfr_shown_event *e,
                        const struct jfr_catalogue_row *row)
{
    put_cell(s, row->name, FIELD_WIDTH);
    put_cell(s, *row->by_default != '\0' ? row->by_default : "-", UNIT_WIDTH);
    put(s, *row->by_profile != '\0' ? row->by_profile : "-");
    put_reserve(s, e, row);
}

static void put_rows(struct sink *s, const struct jfr_shown_event *e, enum jfr_catalogue_kind kind,
                     const char *head)
{
    for (size_t i = 0; i < e->facts.count; i++) {
        const struct jfr_catalogue_row *row = &e->facts.rows[i];
        if (row->kind != kind || !(row->releases & e->releases))
            continue;
        if (kind == JFR_CATALOGUE_SETTING && *head != '\0') {
            put_head(s, head);
            sink_printf(s, "%-*s%-*s%s\n", FIELD_WIDTH, "", UNIT_WIDTH, "default", "profile");
            head = "";
        }
        put_head(s, head);
        head = "";
        if (kind == JFR_CATALOGUE_FIELD)
            put_field(s, e, row);
        else
            put_setting(s, e, row);
    }
}

/* Writes each line of the example. */
static void put_example(struct sink *s, const char *example)
{
    const char *head = "the first";
    for (size_t len; *example != '\0'; example += len + (example[len] == '\n')) {
        len = strcspn(example, "\n");
        put_head(s, head);
        plain_put(s, example, len);
        sink_text(s, "\n");
        head = "";
    }
}

static void put_in_file(struct sink *s, const struct jfr_shown_event *e)
{
    const struct jfr_census_row *row = counted(e);
    char room[1024];
    const char *why = why_none(e, room, sizeof(room));
    put_head(s, "in the file");
    put(s, e->file);
    sink_text(s, ": ");
    if (why)
        put(s, why);
    else
        put_count(s, e, row);
    sink_text(s, "\n");
    if (row && row->count > 0 && row->settings) {
        put_head(s, "");
        put(s, row->settings);
        sink_text(s, "\n");
    }
    if (row && row->example)
        put_example(s, row->example);
}

static void put_marks(struct sink *s, const struct jfr_catalogue_row *event)
{
    if (event->is_experimental) {
        put_head(s, "marked");
        sink_text(s, "experimental: a later release may change it or drop it\n");
    }
    if (jfr_catalogue_is_internal(event)) {
        put_head(s, "marked");
        sink_text(s, "internal: for those who work on the VM\n");
    }
}

void jfr_shown_event_whole(struct sink *s, const struct jfr_shown_event *e)
{
    const struct jfr_catalogue_row *event = e->facts.rows;
    char span[SPAN];
    put(s, event->name);
    if (event->label) {
        sink_text(s, " - ");
        put(s, event->label);
    }
    sink_text(s, "\n");
    if (*sentence_of(e) != '\0') {
        sink_text(s, "  ");
        put(s, sentence_of(e));
        sink_text(s, "\n");
    }
    put_head(s, "category");
    put_categories(s, event->categories);
    jfr_catalogue_span(event->releases, span, sizeof(span));
    if (event->releases != ~0u) {
        put_head(s, "JDK");
        sink_printf(s, "%s\n", span);
    }
    put_marks(s, event);
    put_rows(s, e, JFR_CATALOGUE_FIELD, "fields");
    put_rows(s, e, JFR_CATALOGUE_SETTING, "settings");
    if (e->census)
        put_in_file(s, e);
    sink_text(s, "\n");
}

/* ---- the page jfr_events.html and its data */

static void put_json(struct sink *s, const char *text)
{
    json_out_text(s, text ? text : "", text ? strlen(text) : 0);
}

static void put_member(struct sink *s, const char *name, const char *text)
{
    sink_printf(s, ",\"%s\":", name);
    put_json(s, text);
}

/* Writes what is true of the row but not of its whole event: "27 and later, experimental". */
static void put_json_span(struct sink *s, const struct jfr_shown_event *e,
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
    put_json(s, text);
}

/* Writes [name, type, label, sentence, JDKs] for each field, or [name, default, profile, JDKs] for
 * each setting. */
static void put_json_rows(struct sink *s, const struct jfr_shown_event *e,
                          enum jfr_catalogue_kind kind)
{
    const char *comma = "";
    for (size_t i = 0; i < e->facts.count; i++) {
        const struct jfr_catalogue_row *row = &e->facts.rows[i];
        bool is_field = kind == JFR_CATALOGUE_FIELD;
        if (row->kind != kind || !(row->releases & e->releases))
            continue;
        sink_printf(s, "%s[", comma);
        put_json(s, row->name);
        sink_text(s, ",");
        put_json(s, !is_field ? row->by_default : *row->unit != '\0' ? row->unit : row->type);
        sink_text(s, ",");
        put_json(s, is_field ? row->label : row->by_profile);
        sink_text(s, ",");
        if (is_field) {
            put_json(s, about_of(e, row));
            sink_text(s, ",");
        }
        put_json_span(s, e, row);
        sink_text(s, "]");
        comma = ",";
    }
}

static void put_json_event(struct sink *s, const struct jfr_shown_event *e)
{
    const struct jfr_catalogue_row *event = e->facts.rows;
    const struct jfr_census_row *row = e->census ? jfr_census_find(e->census, event->name) : NULL;
    char span[SPAN], room[1024];
    jfr_catalogue_span(event->releases, span, sizeof(span));
    sink_text(s, "{\"name\":");
    put_json(s, event->name);
    put_member(s, "label", event->label);
    put_member(s, "about", sentence_of(e));
    put_member(s, "categories", event->categories);
    put_member(s, "jdks", event->releases == ~0u ? "" : span);
    sink_printf(s, ",\"experimental\":%s,\"internal\":%s,\"fields\":[",
                event->is_experimental ? "true" : "false",
                jfr_catalogue_is_internal(event) ? "true" : "false");
    put_json_rows(s, e, JFR_CATALOGUE_FIELD);
    sink_text(s, "],\"settings\":[");
    put_json_rows(s, e, JFR_CATALOGUE_SETTING);
    sink_text(s, "]");
    if (e->census) {
        sink_printf(s, ",\"count\":%" PRIu64 ",\"bytes\":%" PRIu64, row ? row->count : 0,
                    row ? row->bytes : 0);
        put_member(s, "why", why_none(e, room, sizeof(room)));
    }
    sink_text(s, "}");
}

void jfr_shown_event_page(struct sink *s, const struct jfr_shown_event *events, size_t count)
{
    sink_bytes(s, jfr_events_page_head, jfr_events_page_head_len);
    sink_text(s, "{\"file\":");
    put_json(s, count > 0 ? events[0].file : NULL);
    sink_text(s, ",\"events\":[");
    for (size_t i = 0; i < count; i++) {
        sink_text(s, i > 0 ? ",\n" : "\n");
        put_json_event(s, &events[i]);
    }
    sink_text(s, "]}");
    sink_bytes(s, jfr_events_page_tail, jfr_events_page_tail_len);
}
