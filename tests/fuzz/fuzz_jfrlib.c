/* fuzz_jfrlib.c - libhprofjfr, through its public header: each function, within a limit of memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <hprof_jfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

/* A limit that the corpus needs, and one that it does not. */
enum { TIGHT = 400 << 10, WIDE = 64 << 20, DEPTH = 4, ELEMENTS = 4, FIELDS = 16, FRAMES = 64 };

static void must(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static void look_at_field(const struct hprof_jfr_field *field)
{
    must(hprof_jfr_field_name(field) != NULL, "a field has a name");
    hprof_jfr_field_label(field);
    hprof_jfr_field_type_name(field);
    hprof_jfr_field_content(field);
    hprof_jfr_field_is_array(field);
    hprof_jfr_field_is_unsigned(field);
    hprof_jfr_field_annotation(field, "jdk.jfr.Description", "value");
}

static void look_at_types(const struct hprof_jfr *jfr)
{
    size_t count = hprof_jfr_type_count(jfr);
    for (size_t i = 0; i < count && i < FRAMES; i++) {
        const struct hprof_jfr_type *type = hprof_jfr_type_at(jfr, i);
        must(hprof_jfr_type_is_event(type), "each type that is counted is an event");
        hprof_jfr_type_id(type);
        hprof_jfr_type_label(type);
        hprof_jfr_type_category(type, 0);
        must(hprof_jfr_type_find(jfr, hprof_jfr_type_name(type)) != NULL, "a type has its name");
        for (size_t k = 0; k < hprof_jfr_type_field_count(type) && k < FRAMES; k++)
            look_at_field(hprof_jfr_type_field(type, k));
    }
    must(!hprof_jfr_type_at(jfr, count), "there are not more types than are counted");
}

static void look_at_stack(struct hprof_jfr_stack *stack)
{
    struct hprof_jfr_frame frame;
    size_t count = stack->frame_count < FRAMES ? stack->frame_count : FRAMES;
    for (size_t i = 0; i < count; i++)
        hprof_jfr_stack_frame(stack, i, &frame);
    if (count > 0)
        hprof_jfr_stack_frame(stack, 0, &frame);
    must(hprof_jfr_stack_frame(stack, stack->frame_count, &frame) < 0, "a stack has an end");
}

static void look_at_value(struct hprof_jfr_value *value, int depth)
{
    struct hprof_jfr_value part;
    struct hprof_jfr_thread thread;
    struct hprof_jfr_stack stack;
    const char *name;
    int64_t ns;
    hprof_jfr_value_ns(value, &ns);
    hprof_jfr_value_class_name(value, &name);
    hprof_jfr_value_thread(value, &thread);
    if (hprof_jfr_value_stack(value, &stack) == HPROF_JFR_OK)
        look_at_stack(&stack);
    if (value->kind == HPROF_JFR_STRING)
        must(value->string[value->count] == '\0', "a text ends with a 0");
    else
        must(!value->string, "what is no text has none");
    for (size_t i = 0; i < value->count && i < FIELDS && depth > 0; i++) {
        int code = HPROF_JFR_KIND;
        if (value->kind == HPROF_JFR_STRUCT)
            code = hprof_jfr_value_field(value, i, &part);
        else if (value->kind == HPROF_JFR_ARRAY && i < ELEMENTS)
            code = hprof_jfr_value_element(value, i, &part);
        if (code == HPROF_JFR_OK)
            look_at_value(&part, depth - 1);
    }
}

static void look_at_event(const struct hprof_jfr_event *event, size_t len)
{
    struct hprof_jfr_value value;
    struct hprof_jfr_thread thread;
    struct hprof_jfr_stack stack;
    uint64_t offset = hprof_jfr_event_offset(event), size = hprof_jfr_event_size(event);
    must(size > 0 && offset + size <= len, "an event lies in the file");
    hprof_jfr_event_start_ns(event);
    hprof_jfr_event_duration_ns(event);
    hprof_jfr_event_thread(event, &thread);
    if (hprof_jfr_event_stack(event, &stack) == HPROF_JFR_OK)
        look_at_stack(&stack);
    if (hprof_jfr_event_value(event, "", &value) == HPROF_JFR_OK)
        look_at_value(&value, DEPTH);
}

/* Returns how many events there were. */
static unsigned read_all(const uint8_t *bytes, size_t len, const struct hprof_jfr_options *options)
{
    const struct hprof_jfr_event *event;
    struct hprof_jfr_lost lost;
    struct hprof_jfr_chunk chunk;
    struct hprof_jfr_error error;
    struct hprof_jfr *jfr = hprof_jfr_open_memory(bytes, len, options, &error);
    unsigned count = 0;
    int code;
    must((jfr != NULL) == (error.code == HPROF_JFR_OK), "an error says why there is no handle");
    if (!jfr)
        return 0;
    while ((code = hprof_jfr_next(jfr, &event)) == HPROF_JFR_EVENT) {
        if (count++ == 0)
            look_at_types(jfr);
        must(hprof_jfr_get_chunk(jfr, &chunk) == HPROF_JFR_OK, "an event has a chunk");
        look_at_event(event, len);
    }
    must(!event && code <= 0, "the end gives no event");
    must(hprof_jfr_last_error(jfr)->code == code, "an error is said again");
    must(hprof_jfr_last_error(jfr)->offset <= len, "an error lies in the file");
    must(!options->salvage || code != HPROF_JFR_DAMAGED, "salvage passes damage over");
    hprof_jfr_get_lost(jfr, &lost);
    must((lost.places == 0) == !lost.first_reason, "damage has a reason");
    must(lost.first_offset <= len, "damage lies in the file");
    hprof_jfr_close(jfr);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct hprof_jfr_options options = {
        .size = sizeof(options), .memory_limit = WIDE, .salvage = true};
    unsigned all = read_all(bytes, len, &options);
    options.salvage = false;
    must(read_all(bytes, len, &options) <= all, "salvage gives as much as there is without it");
    options.salvage = true;
    options.memory_limit = TIGHT;
    must(read_all(bytes, len, &options) <= all, "a limit gives no more events");
    options.memory_limit = WIDE;
    options.no_constants = true;
    read_all(bytes, len, &options);
    return 0;
}
