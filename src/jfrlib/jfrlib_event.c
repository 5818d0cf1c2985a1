/*
 * jfrlib_event.c - what the present event has: hprof_jfr_event_*().
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrlib/jfrlib_types.h"
#include "jfrlib/jfrlib_value.h"

/* Whether the event is still the present one of its handle. */
static bool is_there(const struct hprof_jfr_event *event)
{
    return event && event->type;
}

int hprof_jfr_event_value(const struct hprof_jfr_event *event, const char *path,
                          struct hprof_jfr_value *ret_value)
{
    struct jfr_value value;
    if (!ret_value)
        return HPROF_JFR_ARGUMENT;
    if (is_there(event) && path &&
        jfr_value_named(&event->of->file.chunk, &event->value, path, &value))
        return jfrlib_value_out(event->of, &value, ret_value);
    *ret_value = (struct hprof_jfr_value){0};
    return !event || !path ? HPROF_JFR_ARGUMENT
           : !event->type  ? HPROF_JFR_STALE
                           : HPROF_JFR_NO_FIELD;
}

/* The value with this path; KIND and NO_VALUE if it is none of the kinds `one` and `other`. */
static int value_of(const struct hprof_jfr_event *event, const char *path, enum hprof_jfr_kind one,
                    enum hprof_jfr_kind other, struct hprof_jfr_value *ret)
{
    int code = hprof_jfr_event_value(event, path, ret);
    if (code < 0 || ret->kind == one || ret->kind == other)
        return code;
    return ret->kind == HPROF_JFR_NULL ? HPROF_JFR_NO_VALUE : HPROF_JFR_KIND;
}

int hprof_jfr_event_integer(const struct hprof_jfr_event *event, const char *path, int64_t *ret)
{
    struct hprof_jfr_value v;
    if (!ret)
        return HPROF_JFR_ARGUMENT;
    int code = value_of(event, path, HPROF_JFR_INTEGER, HPROF_JFR_INTEGER, &v);
    *ret = code < 0 ? 0 : v.integer;
    return code;
}

int hprof_jfr_event_double(const struct hprof_jfr_event *event, const char *path, double *ret)
{
    struct hprof_jfr_value v;
    if (!ret)
        return HPROF_JFR_ARGUMENT;
    int code = value_of(event, path, HPROF_JFR_DOUBLE, HPROF_JFR_INTEGER, &v);
    *ret = code < 0 ? 0 : v.kind == HPROF_JFR_INTEGER ? (double)v.integer : v.real;
    return code;
}

int hprof_jfr_event_boolean(const struct hprof_jfr_event *event, const char *path, bool *ret)
{
    struct hprof_jfr_value v;
    if (!ret)
        return HPROF_JFR_ARGUMENT;
    int code = value_of(event, path, HPROF_JFR_BOOLEAN, HPROF_JFR_BOOLEAN, &v);
    *ret = code == 0 && v.integer != 0;
    return code;
}

int hprof_jfr_event_string(const struct hprof_jfr_event *event, const char *path, const char **ret)
{
    struct hprof_jfr_value v;
    if (!ret)
        return HPROF_JFR_ARGUMENT;
    int code = value_of(event, path, HPROF_JFR_STRING, HPROF_JFR_STRING, &v);
    *ret = code < 0 ? NULL : v.string;
    return code;
}

int hprof_jfr_event_ns(const struct hprof_jfr_event *event, const char *path, int64_t *ret_ns)
{
    struct hprof_jfr_value v;
    if (!ret_ns)
        return HPROF_JFR_ARGUMENT;
    *ret_ns = INT64_MIN;
    int code = value_of(event, path, HPROF_JFR_INTEGER, HPROF_JFR_INTEGER, &v);
    return code < 0 ? code : hprof_jfr_value_ns(&v, ret_ns);
}

int hprof_jfr_event_class_name(const struct hprof_jfr_event *event, const char *path,
                               const char **ret_name)
{
    struct hprof_jfr_value v;
    if (!ret_name)
        return HPROF_JFR_ARGUMENT;
    *ret_name = NULL;
    int code = value_of(event, path, HPROF_JFR_STRUCT, HPROF_JFR_STRUCT, &v);
    return code < 0 ? code : hprof_jfr_value_class_name(&v, ret_name);
}

const struct hprof_jfr_type *hprof_jfr_event_type(const struct hprof_jfr_event *event)
{
    return event ? jfrlib_types_out(event->type) : NULL;
}

/* The time in a field of the event; `none`: there is no such field, or it is no time. */
static int64_t time_of(const struct hprof_jfr_event *event, const char *name, int64_t none)
{
    struct jfr_value value;
    int64_t ns;
    if (!is_there(event) || !jfr_value_named(&event->of->file.chunk, &event->value, name, &value) ||
        !jfrlib_value_ns(&event->of->file.chunk, &value, &ns))
        return none;
    return ns;
}

int64_t hprof_jfr_event_start_ns(const struct hprof_jfr_event *event)
{
    return time_of(event, "startTime", INT64_MIN);
}

int64_t hprof_jfr_event_duration_ns(const struct hprof_jfr_event *event)
{
    return time_of(event, "duration", 0);
}

uint64_t hprof_jfr_event_offset(const struct hprof_jfr_event *event)
{
    if (!is_there(event))
        return 0;
    const struct jfr_file *f = &event->of->file;
    return f->offset + (uint64_t)(event->record.bytes - f->chunk.bytes);
}

uint64_t hprof_jfr_event_size(const struct hprof_jfr_event *event)
{
    return is_there(event) ? event->record.size : 0;
}
