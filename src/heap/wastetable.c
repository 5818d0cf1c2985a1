/*
 * wastetable.c - see wastetable.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/wastetable.h"
#include <stdio.h>
#include "heap/heapanswer.h"
#include "heap/holders.h"
#include "heap/objname.h"

static const char *name_of(const struct graph *g, const struct holders_row *row,
                           char ret[OBJNAME_ROOM])
{
    const char *klass = objname_class(g, row->klass);
    if (row->kind == GRAPH_EDGE_FIELD)
        snprintf(ret, OBJNAME_ROOM, "%s.%s", klass, row->name);
    else if (row->kind == GRAPH_EDGE_STATIC)
        snprintf(ret, OBJNAME_ROOM, "static %s.%s", klass, row->name);
    else if (row->kind == GRAPH_EDGE_ELEMENT)
        snprintf(ret, OBJNAME_ROOM, "elements of %s", klass);
    else if (row->kind == GRAPH_EDGE_LOCAL)
        snprintf(ret, OBJNAME_ROOM, "locals of threads");
    else
        snprintf(ret, OBJNAME_ROOM, "the JVM's data of %s", klass);
    return ret;
}

void wastetable_put_holders(struct heapanswer *a, const struct graph *g, const struct holders *h,
                            uint32_t most)
{
    static const struct heapanswer_column columns[] = {
        {"objects", "objects", HEAPANSWER_COUNT, 0},
        {"wasted_bytes", "wasted", HEAPANSWER_BYTES, 0},
        {"field", "field that holds them", HEAPANSWER_NAME, 0},
    };
    uint32_t count;
    char name[OBJNAME_ROOM];
    const struct holders_row *rows = holders_rows(h, &count);
    heapanswer_table(a, "fields", "by the field that holds them", columns, 3);
    for (uint32_t i = 0; i < count && i < most; i++) {
        heapanswer_number(a, rows[i].objects);
        heapanswer_number(a, rows[i].bytes);
        heapanswer_text(a, name_of(g, &rows[i], name));
    }
    heapanswer_table_end(a, NULL);
}
