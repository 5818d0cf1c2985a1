/* fuzz_jfr.c - the reader of JFR files, its events as JSON and as text, and chunks written again.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/feed.h"
#include "base/sink.h"
#include "jfrtool/jfr_order.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_redact.h"
#include "jfrtool/jfrtool.h"
#include "fuzz.h"
#include "jfr/jfr_file.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_renumber.h"
#include "jfr/jfr_rewrite.h"
#include "jfr/jfr_value.h"

/* Text that any input may have: the meter's bound for a short one is 8 MB. */
enum { TEXT_LEAST = 1 << 20 };

static void must(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static void look(const struct jfr_chunk *c, const struct jfr_value *v, int depth)
{
    char text[64];
    jfr_value_utf8(v, text, sizeof(text));
    if (depth == 0)
        return;
    if (v->shape == JFR_OBJECT)
        for (uint32_t i = 0; i < v->type->field_count; i++) {
            struct jfr_value field;
            jfr_value_field(c, v, i, &field);
            look(c, &field, depth - 1);
        }
    if (v->shape != JFR_ARRAY)
        return;
    struct leb l = v->at;
    must(v->count <= leb_left(&l), "an array has a byte for each element");
    for (uint64_t i = 0; i < v->count && i < 4; i++) {
        struct jfr_value element;
        jfr_value_element(c, v, &l, &element);
        look(c, &element, depth - 1);
    }
}

static void look_at_chunk(struct jfr_file *f, struct jfr_order *order, struct jfr_printer *out)
{
    static const struct jfr_filter all = {0};
    struct jfr_record record;
    must(jfr_order_chunk(order, f, &all) == 0, "memory");
    jfr_printer_chunk(out, &f->chunk);
    for (size_t i = 0; i < order->count; i++) {
        size_t at = (size_t)(order->rows[i].bytes - f->chunk.bytes);
        must(jfr_chunk_record(f->chunk.bytes, f->chunk.len, at, &record) == 1,
             "a record that was met is met again");
        must(i == 0 || order->rows[i - 1].end_ticks <= order->rows[i].end_ticks,
             "events come in the order of their ends");
        const struct jfr_type *type = jfr_chunk_type(&f->chunk, record.type_id);
        struct jfr_value event = jfr_value_event(type, &record);
        look(&f->chunk, &event, 4);
        if (jfr_printer_is_used_up(out))
            continue;
        jfr_json_style.event(out, type, &record);
        jfr_printer_end_event(out);
        jfr_xml_style.event(out, type, &record);
        jfr_printer_end_event(out);
        jfr_pretty_style.event(out, type, &record);
        jfr_pretty_cell(out, &event);
        jfr_printer_end_event(out);
    }
}

/* A file in memory. */
struct copy {
    uint8_t *bytes;
    size_t len;
};

static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct copy *copy = to;
    uint8_t *more = realloc(copy->bytes, copy->len + len);
    must(more != NULL, "memory");
    memcpy(more + copy->len, bytes, len);
    copy->bytes = more;
    copy->len += len;
    return 0;
}

static bool keeps(void *with, const struct jfr_chunk *c, const struct jfr_type *type,
                  const struct jfr_record *record)
{
    (void)with;
    (void)c;
    (void)type;
    return record->size % 5 != 0;
}

/* Texts of some lengths, and what follows names that end in a vowel. */
static const char *replaces(void *with, const struct jfr_chunk *c, const struct jfr_record *event,
                            const struct jfr_type *type, const struct jfr_field *field,
                            const struct jfr_text *text)
{
    return text->len % 3 == (event ? 1 : 2) ? "(redacted)"
                                            : jfr_redact_text(with, c, event, type, field, text);
}

static uint64_t count_events(const struct copy *copy)
{
    struct jfr_record record;
    struct jfr_file f;
    struct feed feed;
    uint64_t count = 0;
    feed_memory(&feed, copy->bytes, copy->len);
    must(jfr_file_open(&f, &feed, &(struct jfr_chunk_reading){.with_constants = true}) == 0,
         "what is written again is a JFR file");
    while (jfr_file_next_chunk(&f) > 0)
        while (jfr_file_next_record(&f, &record) > 0)
            count += record.type_id > JFR_LAYOUT_CHECKPOINT;
    must(f.damage_count == 0, "what is written again is whole");
    jfr_file_close(&f);
    return count;
}

static void write_again(struct jfr_chunk *c, const struct jfr_rewrite *w)
{
    struct jfr_rewrite_count count = {0};
    struct copy copy = {0};
    struct sink sink;
    must(sink_init_taker(&sink, take, &copy) == 0, "memory");
    must(jfr_rewrite_chunk(w, c, &sink, &count) == 0, "a chunk with types can be written again");
    sink_done(&sink);
    must((copy.len > 0) == (count.kept > 0), "a chunk is written if it has events");
    must(copy.len == 0 || count_events(&copy) == count.kept, "what was kept is there");
    free(copy.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct jfr_redact redact = {.keys = "*a,*e,*i,*o,*u", .texts = "j*"};
    const struct jfr_renumber other = {
        1 << 22, {.start_ns = INT64_C(1700000000) * 1000000000, .ticks_per_second = 2.1e9}, NULL};
    struct jfr_order order = {0};
    struct jfr_file f;
    struct feed feed;
    struct sink sink;
    struct jfr_printer out;
    uint64_t before = 0;
    feed_memory(&feed, bytes, len);
    must(sink_init(&sink, -1) == 0 && jfr_printer_init(&out, &sink, 3) == 0, "memory");
    out.bound.left = TEXT_LEAST;
    if (jfr_file_open(&f, &feed, &(struct jfr_chunk_reading){.with_constants = true}) == 0)
        while (jfr_file_next_chunk(&f) > 0) {
            must(f.offset >= before && f.offset + f.chunk.len <= len, "chunks follow each other");
            before = f.offset + JFR_LAYOUT_HEADER;
            look_at_chunk(&f, &order, &out);
            if (f.chunk.has_types) {
                write_again(&f.chunk, &(struct jfr_rewrite){0});
                write_again(&f.chunk, &(struct jfr_rewrite){.renumber = &(struct jfr_renumber){
                                                                1 << 22, f.chunk.header, NULL}});
                write_again(&f.chunk, &(struct jfr_rewrite){.renumber = &other});
                write_again(&f.chunk, &(struct jfr_rewrite){
                                          .keeps = keeps, .replaces = replaces, .with = &redact});
            }
        }
    for (uint32_t i = 0; i < f.damage_count && i < JFR_DAMAGES; i++)
        must(f.damages[i].offset + f.damages[i].lost <= len, "damage lies in the file");
    jfr_redact_done(&redact);
    jfr_file_close(&f);
    jfr_order_done(&order);
    jfr_printer_done(&out);
    sink_done(&sink);
    return 0;
}
