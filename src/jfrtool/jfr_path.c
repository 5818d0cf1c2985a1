/*
 * jfr_path.c - see jfr_path.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_path.h"
#include <string.h>
#include "jfrtool/jfr_printer.h"
#include "jfr/jfr_value.h"

enum { PATH = 128 };

/* Makes a value of a text that lives as long as the metadata of the type. */
static bool make_text(const char *text, struct jfr_value *ret_value)
{
    *ret_value = (struct jfr_value){.shape = JFR_TEXT,
                                    .text = {.encoding = JFR_LAYOUT_STRING_UTF8,
                                             .bytes = (const uint8_t *)text,
                                             .len = strlen(text)}};
    return true;
}

/* Whether the frame is visible and fits the choice. A frame is the VM's own if its class has no
 * loader, or the loader "bootstrap". */
static bool is_wanted(const struct jfr_printer *o, const struct jfr_value *frame,
                      const char *choice)
{
    struct jfr_value value, name;
    char text[PATH];
    jfr_value_named(o->chunk, frame, "method.hidden", &value);
    if (jfr_value_number(&value) != 0)
        return false;
    if (strncmp(choice, "app", 3) == 0) {
        jfr_value_named(o->chunk, frame, "method.type.classLoader", &value);
        if (value.shape != JFR_OBJECT)
            return false;
        jfr_value_named(o->chunk, &value, "name", &name);
        jfr_value_utf8(&name, text, sizeof(text));
        return strcmp(text, "bootstrap") != 0;
    }
    jfr_value_named(o->chunk, frame, "method.name", &name);
    jfr_value_utf8(&name, text, sizeof(text));
    return strncmp(choice, "noinit", 6) != 0 || strcmp(text, "<init>") != 0;
}

/* Finds the frame for a choice: "app", or "top.type", whose second word is a field of the
 * method. */
static bool find_frame(const struct jfr_printer *o, const struct jfr_value *event,
                       const char *choice, struct jfr_value *ret_value)
{
    const char *field = strchr(choice, '.');
    struct jfr_value frames, frame, method;
    *ret_value = (struct jfr_value){0};
    if (!jfr_value_named(o->chunk, event, "stackTrace.frames", &frames))
        return false;
    struct leb l = frames.at;
    for (uint64_t i = 0; i < frames.count && !l.is_bad; i++) {
        jfr_value_element(o->chunk, &frames, &l, &frame);
        if (frame.shape != JFR_OBJECT || !is_wanted(o, &frame, choice))
            continue;
        jfr_value_named(o->chunk, &frame, "method", &method);
        if (field)
            jfr_value_named(o->chunk, &method, field + 1, ret_value);
        else
            *ret_value = method;
        return true;
    }
    return true;
}

static bool find_one(const struct jfr_printer *o, const struct jfr_type *type,
                     const struct jfr_value *event, const char *path, struct jfr_value *ret_value)
{
    const struct jfr_type *other;
    if (strcmp(path, "event") == 0)
        return make_text(type->name, ret_value);
    if (strncmp(path, "stackTrace@", 11) == 0)
        return find_frame(o, event, path + 11, ret_value);
    if (!jfr_value_named(o->chunk, event, path, ret_value))
        return false;
    if (strcmp(path, "id") == 0 && strcmp(type->known_as, "jdk.ActiveSetting") == 0 &&
        (other = jfr_chunk_type(o->chunk, (uint64_t)ret_value->number)) != NULL)
        return make_text(other->name, ret_value);
    return true;
}

bool jfr_path_find(const struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_value *event, const char *paths, struct jfr_value *ret_value)
{
    char path[PATH];
    *ret_value = (struct jfr_value){0};
    while (*paths != '\0') {
        size_t len = strcspn(paths, "|");
        if (len >= sizeof(path))
            return false;
        memcpy(path, paths, len);
        path[len] = '\0';
        paths += len + (paths[len] == '|');
        if (find_one(o, type, event, path, ret_value))
            return true;
    }
    return false;
}

bool jfr_path_is_thread(const struct jfr_value *value)
{
    return value->shape == JFR_OBJECT && value->type &&
           strcmp(value->type->name, "java.lang.Thread") == 0;
}

bool jfr_path_has_name(const struct jfr_printer *o, const struct jfr_value *thread)
{
    struct jfr_value is_virtual, name;
    char text[2];
    jfr_value_named(o->chunk, thread, "virtual", &is_virtual);
    jfr_value_named(o->chunk, thread, "javaName", &name);
    return !jfr_value_number(&is_virtual) || jfr_value_utf8(&name, text, sizeof(text)) > 0;
}

uint64_t jfr_path_thread_id(const struct jfr_printer *o, const struct jfr_value *thread)
{
    struct jfr_value id;
    jfr_value_named(o->chunk, thread, "javaThreadId", &id);
    if (jfr_value_number(&id) > 0)
        return (uint64_t)jfr_value_number(&id) << 1;
    jfr_value_named(o->chunk, thread, "osThreadId", &id);
    return (uint64_t)jfr_value_number(&id) << 1 | 1;
}

int64_t jfr_path_end_ns(const struct jfr_printer *o, const struct jfr_value *event)
{
    struct jfr_value start, duration;
    jfr_value_named(o->chunk, event, "startTime", &start);
    jfr_value_named(o->chunk, event, "duration", &duration);
    return jfr_chunk_time_ns(
        o->chunk, (int64_t)((uint64_t)start.number + (uint64_t)jfr_value_number(&duration)));
}
