/*
 * firefox_typed.c - see firefox_typed.h.
 *
 * Texts have the format "sanitized-string", so that the profiler can remove them before a profile
 * is shared. Source: Firefox Profiler, src/types/markers.ts and docs-developer/markers.md: labels
 * name fields by their keys, which contain no dots.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/firefox_typed.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/arena.h"
#include "base/sink.h"
#include "format/firefox_marker.h"
#include "format/firefox_tables.h"
#include "format/json_out.h"
#include "profile/profile.h"
#include "profile/typed_events.h"

enum {
    MS_PER_S = 1000,
    KEY_MORE = 12, /* bytes of "_" and a number behind a key */
    LABELLED = 4,  /* fields that a row of the marker table shows */
    STAMP = 40,
};

struct marker_type {
    const struct custom_type *type;
    uint32_t name, category;
    const char **keys; /* keys of its fields */
};

void firefox_typed_init(struct firefox_typed *t, struct profile *profile,
                        struct firefox_tables *tables, struct arena *arena)
{
    *t = (struct firefox_typed){.profile = profile, .tables = tables, .arena = arena};
    table_init(&t->types, sizeof(struct marker_type));
}

static const struct marker_type *type_at(const struct firefox_typed *t, uint32_t number)
{
    return table_at(&t->types, number);
}

/* Whether a key is taken: by another part of a marker's data, or by one of the first `count`
 * fields. */
static bool is_taken(const struct marker_type *m, uint32_t count, const char *key)
{
    static const char *const names[] = {"type", "cause", "stack"};
    bool is_taken = strncmp(key, FIREFOX_MARKER_CONTEXT, strlen(FIREFOX_MARKER_CONTEXT)) == 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !is_taken; i++)
        is_taken = strcmp(names[i], key) == 0;
    for (uint32_t i = 0; i < count && !is_taken; i++)
        is_taken = strcmp(m->keys[i], key) == 0;
    return is_taken;
}

/* The key of a field is its name, in which _ stands for everything except letters and digits. If
 * that key is taken, the number of the field follows. */
static const char *make_key(const struct firefox_typed *t, const struct marker_type *m,
                            uint32_t number)
{
    const char *name = m->type->fields[number].name;
    size_t len = strlen(name);
    char *key = arena_alloc(t->arena, len + KEY_MORE);
    if (!key)
        return NULL;
    for (size_t i = 0; i < len; i++)
        key[i] = '_';
    for (size_t i = 0; i < len; i++)
        if (isalnum((unsigned char)name[i]))
            key[i] = name[i];
    if (len == 0 || is_taken(m, number, key))
        snprintf(key + len, KEY_MORE, "_%" PRIu32, number);
    return key;
}

static bool make_keys(const struct firefox_typed *t, struct marker_type *m)
{
    m->keys = arena_alloc(t->arena, (m->type->field_count + (size_t)1) * sizeof(*m->keys));
    for (uint32_t i = 0; m->keys && i < m->type->field_count; i++) {
        m->keys[i] = make_key(t, m, i);
        if (!m->keys[i])
            return false;
    }
    return m->keys != NULL;
}

/* The first part of a category: "Acme" of "Acme|Database"; 0: none. */
static string_id group_of(const struct firefox_typed *t, const struct custom_type *type)
{
    size_t len = strcspn(type->category, "|");
    return len ? profile_string(t->profile, type->category, len) : 0;
}

uint32_t firefox_typed_type(struct firefox_typed *t, const struct custom_type *type)
{
    struct marker_type *m;
    for (uint32_t i = t->types.count; i > 0; i--)
        if (type_at(t, i)->type == type)
            return i;
    m = table_add(&t->types, t->arena);
    if (!m)
        return 0;
    m->type = type;
    m->name = firefox_tables_string(t->tables, profile_cstring(t->profile, type->name));
    m->category = firefox_tables_group(t->tables, group_of(t, type));
    if (m->name && make_keys(t, m))
        return t->types.count;
    t->types.count--;
    return 0;
}

uint32_t firefox_typed_name(const struct firefox_typed *t, uint32_t type)
{
    return type_at(t, type)->name;
}

uint32_t firefox_typed_category(const struct firefox_typed *t, uint32_t type)
{
    return type_at(t, type)->category;
}

/* ---- schemas */

static const char *format_of(const struct custom_field *f)
{
    static const char *const by_sort[CUSTOM_SORTS] = {
        [CUSTOM_BOOLEAN] = "string",        [CUSTOM_INT] = "integer",
        [CUSTOM_LONG] = "integer",          [CUSTOM_DOUBLE] = "decimal",
        [CUSTOM_TEXT] = "sanitized-string", [CUSTOM_THREAD] = "unique-string",
        [CUSTOM_CLASS] = "unique-string",
    };
    static const char *const by_unit[CUSTOM_UNITS] = {
        [CUSTOM_BYTES] = "bytes",        [CUSTOM_NS] = "duration",
        [CUSTOM_MS] = "duration",        [CUSTOM_EPOCH_MS] = "string",
        [CUSTOM_PERCENT] = "percentage", [CUSTOM_BYTES_PER_S] = "bytes",
        [CUSTOM_ADDRESS] = "string",     [CUSTOM_EPOCH_NS] = "time",
    };
    bool is_number = f->sort == CUSTOM_INT || f->sort == CUSTOM_LONG || f->sort == CUSTOM_DOUBLE;
    return is_number && by_unit[f->unit] ? by_unit[f->unit] : by_sort[f->sort];
}

/* The part of a unit that format_of() does not express. */
static const char *unit_behind(const struct custom_field *f)
{
    static const char *const units[CUSTOM_UNITS] = {
        [CUSTOM_BITS] = " (bits)",
        [CUSTOM_HERTZ] = " (Hz)",
        [CUSTOM_BYTES_PER_S] = " per second",
        [CUSTOM_BITS_PER_S] = " (bits per second)",
    };
    return units[f->unit] ? units[f->unit] : "";
}

static const char *label_of(const struct custom_field *f)
{
    return *f->label ? f->label : f->name;
}

static void put_field(struct sink *s, const char *key, const struct custom_field *f)
{
    char label[256];
    snprintf(label, sizeof(label), "%s%s", label_of(f), unit_behind(f));
    sink_printf(s, "{\"key\":\"%s\",\"label\":", key);
    json_out_text(s, label, strlen(label));
    sink_printf(s, ",\"format\":\"%s\"}", format_of(f));
}

/* How important a field is for its event; 0 is the most important. Names come first, then measured
 * quantities, then plain numbers, and last booleans and addresses. */
static unsigned rank_of(const struct custom_field *f)
{
    if (f->sort >= CUSTOM_TEXT)
        return 0;
    if (f->sort == CUSTOM_BOOLEAN || f->unit == CUSTOM_ADDRESS)
        return 3;
    return f->unit == CUSTOM_PLAIN ? 2 : 1;
}

/* Finds the most important fields, at most LABELLED. Returns how many. */
static uint32_t find_labelled(const struct custom_type *type, uint32_t ret[LABELLED])
{
    uint32_t count = 0;
    for (unsigned rank = 0; rank <= 3; rank++)
        for (uint32_t i = 0; i < type->field_count && count < LABELLED; i++)
            if (rank_of(&type->fields[i]) == rank)
                ret[count++] = i;
    return count;
}

/* "{marker.data.path}, Bytes Read: {marker.data.bytesRead}" */
static void put_label(struct sink *s, const struct marker_type *m, const char *name, uint32_t most)
{
    uint32_t labelled[LABELLED], count = find_labelled(m->type, labelled);
    char text[1024];
    size_t len = 0;
    for (uint32_t i = 0; i < count && i < most && len < sizeof(text); i++) {
        const struct custom_field *f = &m->type->fields[labelled[i]];
        bool is_named = rank_of(f) > 0 && !strpbrk(label_of(f), "{}");
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%s{marker.data.%s}",
                                i ? ", " : "", is_named ? label_of(f) : "", is_named ? ": " : "",
                                m->keys[labelled[i]]);
    }
    if (count == 0 || len >= sizeof(text))
        return;
    sink_printf(s, ",\"%s\":", name);
    json_out_text(s, text, len);
}

static void put_schema(const struct firefox_typed *t, struct sink *s, const struct marker_type *m)
{
    const struct custom_type *type = m->type;
    const char *title = *type->label ? type->label : type->name;
    sink_text(s, "{\"name\":");
    json_out_text(s, type->name, strlen(type->name));
    sink_text(s, ",\"tooltipLabel\":");
    json_out_text(s, title, strlen(title));
    put_label(s, m, "tableLabel", LABELLED);
    put_label(s, m, "chartLabel", 1);
    if (*type->about) {
        sink_text(s, ",\"description\":");
        json_out_text(s, type->about, strlen(type->about));
    }
    sink_text(s, ",\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":[");
    for (uint32_t i = 0; i < type->field_count; i++) {
        sink_text(s, i ? "," : "");
        put_field(s, m->keys[i], &type->fields[i]);
    }
    firefox_marker_put_context_fields(s, t->profile, type->field_count ? "," : "");
    sink_text(s, "]}");
}

void firefox_typed_put_schemas(const struct firefox_typed *t, struct sink *s, const char *before)
{
    for (uint32_t i = 1; i <= t->types.count; i++) {
        sink_text(s, before);
        put_schema(t, s, type_at(t, i));
        before = ",\n";
    }
}

/* ---- markers */

/* Writes ns, which may be negative, in ms. */
static void put_ns(struct sink *s, int64_t ns)
{
    sink_text(s, ns < 0 ? "-" : "");
    firefox_marker_put_ms(s, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns);
}

/* Writes a moment as a date, because it may be far away from the time of the recording. */
static void put_stamp(struct sink *s, int64_t ms)
{
    time_t seconds = (time_t)(ms / MS_PER_S - (ms % MS_PER_S < 0));
    struct tm at;
    char text[STAMP];
    if (!gmtime_r(&seconds, &at) || strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &at) == 0)
        snprintf(text, sizeof(text), "%" PRId64 " ms", ms);
    sink_printf(s, "\"%s\"", text);
}

static void put_number(struct sink *s, const struct custom_field *f, int64_t number,
                       uint64_t first_ns)
{
    if (f->sort == CUSTOM_BOOLEAN)
        sink_text(s, number ? "\"true\"" : "\"false\"");
    else if (f->unit == CUSTOM_NS)
        put_ns(s, number);
    else if (f->unit == CUSTOM_EPOCH_NS)
        put_ns(s, (int64_t)((uint64_t)number - first_ns));
    else if (f->unit == CUSTOM_EPOCH_MS)
        put_stamp(s, number);
    else if (f->unit == CUSTOM_ADDRESS)
        sink_printf(s, "\"0x%" PRIx64 "\"", (uint64_t)number);
    else if (f->is_unsigned)
        sink_printf(s, "%" PRIu64, (uint64_t)number);
    else
        sink_printf(s, "%" PRId64, number);
}

static bool is_none(const struct custom_field *f, const union custom_value *value)
{
    switch (f->sort) {
    case CUSTOM_DOUBLE:
        return !isfinite(value->real);
    case CUSTOM_TEXT:
        return !value->text;
    case CUSTOM_THREAD:
        return value->thread == 0;
    case CUSTOM_CLASS:
        return value->klass == 0;
    default:
        return !f->is_unsigned && value->number == CUSTOM_NO_NUMBER;
    }
}

static void put_value(const struct firefox_typed *t, struct sink *s, const struct custom_field *f,
                      const union custom_value *value, uint64_t first_ns)
{
    string_id name;
    switch (f->sort) {
    case CUSTOM_DOUBLE:
        sink_printf(s, "%.9g", value->real);
        break;
    case CUSTOM_TEXT:
        json_out_text(s, value->text, strlen(value->text));
        break;
    case CUSTOM_THREAD:
    case CUSTOM_CLASS:
        name = f->sort == CUSTOM_CLASS ? profile_class_at(t->profile, value->klass)->name
                                       : profile_thread_at(t->profile, value->thread)->name;
        name = firefox_tables_string(t->tables, name);
        sink_printf(s, name ? "%" PRIu32 : "null", name - 1);
        break;
    default:
        put_number(s, f, value->number, first_ns);
    }
}

void firefox_typed_put_values(const struct firefox_typed *t, struct sink *s, uint32_t type,
                              const union custom_value *values, uint64_t first_ns)
{
    const struct marker_type *m = type_at(t, type);
    sink_text(s, "\n{\"type\":");
    json_out_text(s, m->type->name, strlen(m->type->name));
    for (uint32_t i = 0; i < m->type->field_count; i++) {
        if (is_none(&m->type->fields[i], &values[i]))
            continue;
        sink_printf(s, ",\"%s\":", m->keys[i]);
        put_value(t, s, &m->type->fields[i], &values[i], first_ns);
    }
}

void firefox_typed_put_left(struct sink *s, struct profile *profile)
{
    const struct typed_events *all = profile_typed(profile);
    if (typed_events_count(all) == 0)
        return;
    sink_printf(s,
                ",{\"label\":\"Markers\",\"entries\":[{\"label\":\"of a type at most\","
                "\"format\":\"integer\",\"value\":%d}",
                TYPED_EVENTS_KEPT);
    for (uint32_t i = 1; i <= typed_events_count(all); i++) {
        const struct typed_type *type = typed_events_at(all, i);
        if (type->kept.count == type->count)
            continue;
        sink_text(s, ",{\"label\":");
        json_out_text(s, type->type.name, strlen(type->type.name));
        sink_printf(s, ",\"format\":\"string\",\"value\":\"%" PRIu32 " of %" PRIu64 ", %s\"}",
                    type->kept.count, type->count,
                    type->bound_ns ? "those that took longest" : "from all of the time");
    }
    sink_text(s, "]}");
}
