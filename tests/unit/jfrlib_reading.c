/* jfrlib_reading.c - see jfrlib_reading.h. SPDX-License-Identifier: Apache-2.0 */
#include "jfrlib_reading.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"
#include "testfile.h"

enum { DEPTH = 4, ELEMENTS = 8 };

unsigned char *jfrlib_reading_bytes(const char *name, size_t *ret_len)
{
    char path[64];
    snprintf(path, sizeof(path), "jfr/%s", name);
    char *read = testfile_read(path, ret_len);
    unsigned char *bytes = malloc(*ret_len);
    assert_non_null(bytes);
    memcpy(bytes, read, *ret_len);
    free(read);
    return bytes;
}

struct hprof_jfr *jfrlib_reading_open(const void *bytes, size_t len,
                                      const struct hprof_jfr_options *options)
{
    struct hprof_jfr_error error;
    struct hprof_jfr *jfr = hprof_jfr_open_memory(bytes, len, options, &error);
    assert_int_equal(error.code, HPROF_JFR_OK);
    assert_non_null(jfr);
    return jfr;
}

static void look(struct hprof_jfr_value *value, int depth)
{
    struct hprof_jfr_value part;
    int64_t ns;
    hprof_jfr_value_ns(value, &ns);
    if (value->kind == HPROF_JFR_STRING)
        assert_int_equal(strlen(value->string), value->count);
    for (size_t i = 0; i < value->count && depth > 0; i++) {
        int code = HPROF_JFR_KIND;
        if (value->kind == HPROF_JFR_STRUCT)
            code = hprof_jfr_value_field(value, i, &part);
        else if (value->kind == HPROF_JFR_ARRAY && i < ELEMENTS)
            code = hprof_jfr_value_element(value, i, &part);
        if (code == HPROF_JFR_OK)
            look(&part, depth - 1);
    }
}

int jfrlib_reading_all(struct hprof_jfr *jfr, unsigned *ret_events)
{
    const struct hprof_jfr_event *event;
    struct hprof_jfr_thread thread;
    struct hprof_jfr_stack stack;
    struct hprof_jfr_frame frame;
    struct hprof_jfr_value value;
    int code;
    *ret_events = 0;
    while ((code = hprof_jfr_next(jfr, &event)) == HPROF_JFR_EVENT) {
        assert_non_null(hprof_jfr_type_name(hprof_jfr_event_type(event)));
        if (hprof_jfr_event_value(event, "", &value) == HPROF_JFR_OK)
            look(&value, DEPTH);
        hprof_jfr_event_thread(event, &thread);
        if (hprof_jfr_event_stack(event, &stack) == HPROF_JFR_OK)
            for (size_t i = 0; i < stack.frame_count; i++)
                hprof_jfr_stack_frame(&stack, i, &frame);
        ++*ret_events;
    }
    assert_null(event);
    assert_int_equal(hprof_jfr_next(jfr, &event), code);
    return code;
}

const struct hprof_jfr_event *jfrlib_reading_next(struct hprof_jfr *jfr, const char *type)
{
    const struct hprof_jfr_event *event;
    do
        assert_int_equal(hprof_jfr_next(jfr, &event), HPROF_JFR_EVENT);
    while (strcmp(hprof_jfr_type_name(hprof_jfr_event_type(event)), type) != 0);
    return event;
}
