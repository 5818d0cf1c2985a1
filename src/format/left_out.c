/*
 * left_out.c - see left_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/left_out.h"
#include "format/format.h"

const char left_out_name[] = "[left out: no memory for more stacks]";

void left_out_add(struct writer_out *o, const struct event *event)
{
    for (uint32_t v = 0; v < KIND_VALUES; v++)
        o->room.left_out[v] += event->value[v];
}
