/*
 * pprof_stack.c - see pprof_stack.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/pprof_stack.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "format/java_name.h"
#include "format/locations.h"
#include "format/pprof.h"
#include "format/pprof_tables.h"
#include "format/proto_in.h"

enum {
    /* Looking at so many bytes of a text, to hash it or to search in it, is as much work as one
     * field. */
    BYTES_A_FIELD = 8,
    /* Looking for a frame in the profile is as much work as so many fields. */
    FIELDS_A_FRAME = 12,
};

void pprof_stack_begin(struct pprof_stack *s, struct pprof_tables *tables, size_t len)
{
    *s = (struct pprof_stack){.tables = tables,
                              .left = PPROF_WORK_LEAST + (uint64_t)len * PPROF_WORK_RATE};
}

static bool spend(struct pprof_stack *s, uint64_t fields)
{
    s->left -= fields < s->left ? fields : s->left;
    return s->left > 0;
}

void pprof_stack_looks_at(struct pprof_stack *s, size_t len)
{
    spend(s, len / BYTES_A_FIELD);
}

void pprof_stack_turn_to(struct pprof_stack *s, struct profile *p)
{
    s->profile = p;
    for (uint32_t i = 1; i <= s->tables->functions.count; i++) {
        struct pprof_function *function = table_at(&s->tables->functions, i);
        function->method = 0;
    }
}

void pprof_stack_done(struct pprof_stack *s)
{
    frame_list_done(&s->stack);
}

string_id pprof_stack_string(struct pprof_stack *s, uint64_t number)
{
    struct pprof_text text = pprof_tables_string(s->tables, number);
    pprof_stack_looks_at(s, text.len);
    return text.len > 0 ? profile_string(s->profile, text.bytes, text.len) : 0;
}

static bool ends_with(struct pprof_text text, const char *end)
{
    size_t len = strlen(end);
    return text.len >= len && memcmp(text.bytes + text.len - len, end, len) == 0;
}

static bool starts_with(struct pprof_text text, const char *start)
{
    size_t len = strlen(start);
    return text.len >= len && memcmp(text.bytes, start, len) == 0;
}

/* Whose code the function is. The name of the mapping says it, otherwise the function itself. */
static enum frame_kind find_kind(const struct pprof_stack *s, struct pprof_text mapping,
                                 const struct pprof_function *function)
{
    static const char *const sources[] = {".java", ".kt", ".scala", ".groovy", ".clj"};
    struct pprof_text name = pprof_tables_string(s->tables, function->name),
                      file = pprof_tables_string(s->tables, function->file);
    enum frame_kind own = locations_kind(mapping.bytes, mapping.len);
    if (own != FRAME_KINDS)
        return own;
    if (starts_with(mapping, "[kernel"))
        return FRAME_KERNEL;
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (ends_with(file, sources[i]))
            return FRAME_JAVA;
    if (mapping.len > 0 && *mapping.bytes != '[')
        return FRAME_NATIVE;
    return java_name_is(name.bytes, name.len) ? FRAME_JAVA : FRAME_NATIVE;
}

/* A function usually lies in one mapping, so the last answer is remembered. */
static enum frame_kind kind_of(struct pprof_stack *s, uint64_t mapping,
                               struct pprof_function *function)
{
    if (!function->has_kind || function->mapping != mapping) {
        pprof_stack_looks_at(s, pprof_tables_string(s->tables, function->name).len);
        function->kind = find_kind(s, pprof_tables_string(s->tables, mapping), function);
        function->mapping = mapping;
        function->has_kind = true;
    }
    return function->kind;
}

/* The descriptor is the part of the system name behind the name. */
static string_id descriptor_of(struct pprof_stack *s, const struct pprof_function *function)
{
    struct pprof_text name = pprof_tables_string(s->tables, function->name),
                      system = pprof_tables_string(s->tables, function->system);
    if (system.len <= name.len || memcmp(system.bytes, name.bytes, name.len) != 0 ||
        system.bytes[name.len] != '(')
        return 0;
    return profile_string(s->profile, system.bytes + name.len, system.len - name.len);
}

/* The method of a function. If a function lies in two libraries, its method keeps the first one. */
static method_id method_of(struct pprof_stack *s, struct pprof_function *function,
                           enum frame_kind kind, uint64_t in)
{
    struct pprof_text name = pprof_tables_string(s->tables, function->name),
                      mapping = pprof_tables_string(s->tables, in);
    bool is_library = kind == FRAME_NATIVE && mapping.len > 0 && *mapping.bytes != '[';
    if (function->method)
        return function->method;
    pprof_stack_looks_at(s, name.len + mapping.len +
                                pprof_tables_string(s->tables, function->system).len);
    string_id source = pprof_stack_string(s, function->file);
    if (frame_kind_is_java(kind)) {
        function->method =
            java_name_method(s->profile, name.bytes, name.len, descriptor_of(s, function), source);
    } else {
        string_id library = is_library ? profile_string(s->profile, mapping.bytes, mapping.len) : 0;
        function->method =
            profile_method(s->profile, library ? profile_class_named(s->profile, library) : 0,
                           profile_string(s->profile, name.bytes, name.len), 0, source);
    }
    return function->method;
}

static bool push(struct pprof_stack *s, frame_id frame)
{
    if (!frame_list_reserve(&s->stack, s->depth + 1))
        return false;
    s->stack.frames[s->depth++] = frame;
    return true;
}

/* Adds the frame of a line of a location. All lines except the last are functions that were
 * inlined. */
static int push_line(struct pprof_stack *s, struct rd line, uint64_t mapping, bool is_last)
{
    uint64_t function = 0, number = 0;
    spend(s, FIELDS_A_FRAME);
    for (struct proto_in_field f; proto_in_next(&line, &f);) {
        if (!spend(s, 1))
            return E_LIMIT;
        switch (f.number) {
        case PPROF_LINE_FUNCTION:
            function = f.value;
            break;
        case PPROF_LINE_LINE:
            number = f.value;
            break;
        }
    }
    uint32_t row = idmap_get(&s->tables->function_of, function);
    if (!row)
        return E_FORMAT;
    struct pprof_function *of = table_at(&s->tables->functions, row);
    enum frame_kind kind = kind_of(s, mapping, of);
    method_id method = method_of(s, of, kind, mapping);

    if (!is_last && frame_kind_is_java(kind))
        kind = FRAME_INLINED;
    frame_id frame = method
                         ? profile_frame_of(s->profile, kind, method, -1,
                                            number > 0 && number <= INT32_MAX ? (int32_t)number
                                                                              : PROFILE_LINE_NONE)
                         : 0;
    if (s->depth == PPROF_STACK_MAX)
        return E_LIMIT;
    return frame && push(s, frame) ? 0 : -ENOMEM;
}

/* Only the last line is not inlined, so each line waits until it is known whether another one
 * follows. A location without lines is an address without a known name; it is no frame. A sample
 * names a location in few bytes. So a small file could make the reader read a long location again
 * and again: for this reason the number of lines is limited. */
int pprof_stack_push(struct pprof_stack *s, uint64_t id)
{
    uint32_t row = idmap_get(&s->tables->place_of, id);
    if (!row)
        return E_FORMAT;
    const struct pprof_place *place = table_at(&s->tables->places, row);
    uint32_t file = idmap_get(&s->tables->file_of, place->mapping);
    uint64_t mapping = file ? *(const uint64_t *)table_at(&s->tables->files, file) : 0;
    struct rd message, line = {0};
    bool has_line = false;
    int pushed = 0, lines = 0, fields = 0;

    rd_init(&message, place->line, place->len);
    for (struct proto_in_field f; pushed == 0 && proto_in_next(&message, &f);) {
        if (++fields > PPROF_FIELDS_MAX || !spend(s, 1))
            return E_LIMIT;
        if (f.number != PPROF_LOCATION_LINE)
            continue;
        if (has_line)
            pushed = push_line(s, line, mapping, false);
        if (++lines > PPROF_LINES_MAX)
            return E_LIMIT;
        rd_init(&line, f.bytes, f.len);
        has_line = true;
    }
    return pushed == 0 && has_line ? push_line(s, line, mapping, true) : pushed;
}
