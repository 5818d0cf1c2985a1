/*
 * hprof_serial.c - see hprof_serial.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_serial.h"
#include <stddef.h>
#include "profile/profile.h"

static const struct hprof_serial none = {
    .classes = {.next = HPROF_SERIAL_CLASS},
    .traces = {.next = HPROF_SERIAL_TRACE_SYSTEM},
};

static const struct hprof_serial *serials_of(const struct profile *p)
{
    const struct hprof_serial *s = profile_attachment(p, HPROF_SERIAL_ATTACHMENT);
    return s ? s : &none;
}

/* Rows behind those that have a number are numbered from `next` on. */
static uint32_t serial_of(const struct hprof_serial_rows *s, uint32_t id)
{
    if (id == 0)
        return 0;
    if (id > s->rows.count)
        return s->next + (id - s->rows.count - 1);
    return *(const uint32_t *)table_at(&s->rows, id);
}

uint32_t hprof_serial_class(const struct profile *p, class_id klass)
{
    return serial_of(&serials_of(p)->classes, klass);
}

uint32_t hprof_serial_trace(const struct profile *p, trace_id trace)
{
    return serial_of(&serials_of(p)->traces, trace);
}
