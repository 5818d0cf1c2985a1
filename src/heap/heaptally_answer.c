/*
 * heaptally_answer.c - see heaptally_answer.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaptally_answer.h"
#include <inttypes.h>
#include "heap/heapanswer.h"
#include "heap/heaptally.h"
#include "heap/question.h"

static const struct heapanswer_column columns[] = {
    {"objects", "objects", HEAPANSWER_COUNT, 0},
    {"shallow_bytes", "own size", HEAPANSWER_BYTES, 0},
    {"class", "class", HEAPANSWER_NAME, 0},
};

void heaptally_answer(const struct heaptally *t, const struct question_asked *asked)
{
    const struct graph_facts *f = heaptally_facts(t);
    struct heapanswer a;
    uint32_t count;
    const struct heaptally_row *rows = heaptally_rows(t, &count);
    uint32_t shown = count < asked->rows ? count : asked->rows;
    heapanswer_begin(&a, asked, "histo");
    heapanswer_fact(&a, "objects", "objects", HEAPANSWER_COUNT, f->objects);
    heapanswer_fact(&a, "bytes", "own sizes together", HEAPANSWER_BYTES, f->bytes);
    heapanswer_fact(&a, "classes", "classes with objects", HEAPANSWER_COUNT, count);
    heapanswer_table(&a, "rows", NULL, columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t i = 0; i < shown; i++) {
        heapanswer_number(&a, rows[i].objects);
        heapanswer_number(&a, rows[i].bytes);
        heapanswer_text(&a, rows[i].name);
    }
    heapanswer_table_end(&a, "no objects");
    if (count > shown)
        heapanswer_say(&a, "%" PRIu32 " more classes; -n shows more of them", count - shown);
    heapanswer_end(&a);
}
