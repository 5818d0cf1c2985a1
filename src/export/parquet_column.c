/*
 * parquet_column.c - see parquet_column.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "export/parquet_column.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "export/thrift_out.h"
#include "gzip/zpack.h"

enum {
    RUN_LEAST = 8, /* equal values that are written as a run */
    GROUP = 8,     /* values that are packed together */
    SLOTS_LEAST = 64,
    NUMBER_TEXT = 32,
    /* parquet.thrift */
    PAGE_DATA = 0,
    PAGE_DICTIONARY = 2,
    PLAIN = 0,
    RLE = 3,
    RLE_DICTIONARY = 8,
};

/* ---- values */

static void put_u32(struct textbuf *t, uint32_t v)
{
    const unsigned char bytes[] = {(unsigned char)v, (unsigned char)(v >> 8),
                                   (unsigned char)(v >> 16), (unsigned char)(v >> 24)};
    textbuf_bytes(t, (const char *)bytes, sizeof(bytes));
}

static void put_u64(struct textbuf *t, uint64_t v)
{
    put_u32(t, (uint32_t)v);
    put_u32(t, (uint32_t)(v >> 32));
}

static uint32_t u32_at(const struct textbuf *t, size_t number)
{
    const unsigned char *b = (const unsigned char *)t->bytes + number * sizeof(uint32_t);
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* The text with this number in the dictionary. */
static const char *word_at(const struct parquet_column *c, uint32_t number, size_t *ret_len)
{
    size_t begin = (number > 0 ? c->ends[number - 1] : 0) + sizeof(uint32_t);
    *ret_len = c->ends[number] - begin;
    return c->words.bytes + begin;
}

static bool grow_slots(struct parquet_column *c, const struct lookup_key *key)
{
    uint32_t count = c->slot_count ? c->slot_count * 2 : SLOTS_LEAST;
    uint32_t *slots = calloc(count, sizeof(*slots));
    if (!slots)
        return false;
    for (uint32_t i = 0; i < c->word_count; i++) {
        size_t len;
        const char *word = word_at(c, i, &len);
        uint32_t at = lookup_hash(key, word, len) & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = i + 1;
    }
    free(c->slots);
    c->slots = slots;
    c->slot_count = count;
    return true;
}

static bool grow_ends(struct parquet_column *c)
{
    uint32_t room = c->end_room ? c->end_room * 2 : SLOTS_LEAST;
    uint32_t *ends = realloc(c->ends, room * sizeof(*ends));
    if (!ends)
        return false;
    c->ends = ends;
    c->end_room = room;
    return true;
}

/* Adds the number of a text. */
static size_t add_word(struct parquet_column *c, const struct lookup_key *key, const char *text,
                       size_t len)
{
    if ((c->word_count * 2 >= c->slot_count && !grow_slots(c, key)) ||
        (c->word_count == c->end_room && !grow_ends(c))) {
        c->values.is_bad = true;
        return 0;
    }
    uint32_t at = lookup_hash(key, text, len) & (c->slot_count - 1), number;
    for (; (number = c->slots[at]) != 0; at = (at + 1) & (c->slot_count - 1)) {
        size_t other_len;
        const char *other = word_at(c, number - 1, &other_len);
        if (other_len == len && memcmp(other, text, len) == 0) {
            put_u32(&c->values, number - 1);
            return sizeof(uint32_t);
        }
    }
    put_u32(&c->words, (uint32_t)len);
    textbuf_bytes(&c->words, text, len);
    if (c->words.is_bad)
        return 0;
    c->ends[c->word_count] = (uint32_t)c->words.len;
    c->slots[at] = ++c->word_count;
    put_u32(&c->values, c->word_count - 1);
    return len + 5 * sizeof(uint32_t);
}

static void add_number(struct parquet_column *c, int64_t number)
{
    bool is_first = c->rows == c->nulls;
    c->least = is_first || number < c->least ? number : c->least;
    c->most = is_first || number > c->most ? number : c->most;
    put_u64(&c->values, (uint64_t)number);
}

static int64_t number_of(const struct query_value *v)
{
    if (v->type == QUERY_VALUE_NUMBER)
        return v->number;
    return v->real >= 9223372036854775807.0    ? INT64_MAX
           : v->real <= -9223372036854775808.0 ? INT64_MIN
                                               : (int64_t)v->real;
}

static void add_real(struct parquet_column *c, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof(bits));
    put_u64(&c->values, bits);
}

/* Whether the column takes a value of this type. */
static bool takes(const struct parquet_column *c, const struct query_value *v)
{
    /* What is no number is NULL, as in SQL. */
    bool is_number =
        v->type == QUERY_VALUE_NUMBER || (v->type == QUERY_VALUE_REAL && !isnan(v->real));
    return is_number || (c->type == EXPORT_TEXT && v->type == QUERY_VALUE_TEXT);
}

static size_t add_text(struct parquet_column *c, const struct lookup_key *key,
                       const struct query_value *v)
{
    char number[NUMBER_TEXT];
    if (v->type == QUERY_VALUE_TEXT)
        return add_word(c, key, v->bytes, v->len);
    int len = v->type == QUERY_VALUE_REAL
                  ? snprintf(number, sizeof(number), "%.17g", v->real)
                  : snprintf(number, sizeof(number), "%lld", (long long)v->number);
    return add_word(c, key, number, (size_t)len);
}

size_t parquet_column_add(struct parquet_column *c, const struct lookup_key *key,
                          const struct query_value *v)
{
    bool is_there = takes(c, v);
    size_t kept = sizeof(uint64_t);
    if (c->rows % 8 == 0)
        textbuf_char(&c->present, 0);
    if (is_there && c->type == EXPORT_NUMBER)
        add_number(c, number_of(v));
    else if (is_there && c->type == EXPORT_REAL)
        add_real(c, v->type == QUERY_VALUE_REAL ? v->real : (double)v->number);
    else
        kept = is_there ? add_text(c, key, v) : 0;
    if (is_there && !c->present.is_bad)
        c->present.bytes[c->rows / 8] |= (char)(1 << c->rows % 8);
    c->rows++;
    c->nulls += !is_there;
    return kept;
}

bool parquet_column_is_bad(const struct parquet_column *c)
{
    return c->present.is_bad || c->values.is_bad || c->words.is_bad;
}

void parquet_column_clear(struct parquet_column *c)
{
    textbuf_done(&c->present);
    textbuf_done(&c->values);
    textbuf_done(&c->words);
    free(c->slots);
    free(c->ends);
    *c = (struct parquet_column){.type = c->type};
}

/* ---- the hybrid of runs and packed bits */

/* A list of small numbers. */
struct numbers {
    const struct parquet_column *of;
    bool is_levels; /* 1 for a row with a value; otherwise numbers of the dictionary */
    uint32_t count;
    unsigned width; /* bits of a number */
};

static uint32_t number_at(const struct numbers *n, uint32_t i)
{
    return n->is_levels ? (uint32_t)((unsigned char)n->of->present.bytes[i / 8] >> i % 8 & 1)
                        : u32_at(&n->of->values, i);
}

static uint32_t run_at(const struct numbers *n, uint32_t i)
{
    uint32_t first = number_at(n, i), end = i + 1;
    if (n->is_levels && (n->of->nulls == 0 || n->of->nulls == n->of->rows))
        return n->count - i;
    while (end < n->count && number_at(n, end) == first)
        end++;
    return end - i;
}

static void put_varint(struct textbuf *t, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        textbuf_char(t, (char)(v | 0x80));
    textbuf_char(t, (char)v);
}

static void put_run(struct textbuf *t, const struct numbers *n, uint32_t i, uint32_t length)
{
    uint32_t value = number_at(n, i);
    put_varint(t, (uint64_t)length << 1);
    for (unsigned bit = 0; bit < n->width; bit += 8)
        textbuf_char(t, (char)(value >> bit));
}

/* Writes whole groups; the last one is filled with zeroes. */
static void put_packed(struct textbuf *t, const struct numbers *n, uint32_t from, uint32_t to)
{
    uint32_t groups = (to - from + GROUP - 1) / GROUP;
    uint64_t bits = 0;
    unsigned used = 0;
    put_varint(t, (uint64_t)groups << 1 | 1);
    for (uint32_t i = from; i < from + groups * GROUP; i++) {
        bits |= (uint64_t)(i < to ? number_at(n, i) : 0) << used;
        for (used += n->width; used >= 8; used -= 8) {
            textbuf_char(t, (char)bits);
            bits >>= 8;
        }
    }
}

static void put_hybrid(struct textbuf *t, const struct numbers *n)
{
    for (uint32_t i = 0; i < n->count;) {
        uint32_t length = run_at(n, i), end = i;
        if (length >= RUN_LEAST) {
            put_run(t, n, i, length);
            i += length;
            continue;
        }
        /* Groups up to a place where a run begins. */
        while (end < n->count && (end == i || run_at(n, end) < RUN_LEAST))
            end = n->count - end > GROUP ? end + GROUP : n->count;
        put_packed(t, n, i, end);
        i = end;
    }
}

/* ---- pages */

/* What differs between the headers of pages. */
struct page {
    int type, encoding;
    uint32_t values;
};

static void put_header(struct thrift_out *h, const struct page *page, size_t plain, size_t packed)
{
    thrift_out_number(h, 1, THRIFT_I32, page->type);
    thrift_out_number(h, 2, THRIFT_I32, (int64_t)plain);
    thrift_out_number(h, 3, THRIFT_I32, (int64_t)packed);
    thrift_out_begin(h, page->type == PAGE_DATA ? 5 : 7);
    thrift_out_number(h, 1, THRIFT_I32, page->values);
    thrift_out_number(h, 2, THRIFT_I32, page->encoding);
    if (page->type == PAGE_DATA) {
        thrift_out_number(h, 3, THRIFT_I32, RLE);
        thrift_out_number(h, 4, THRIFT_I32, RLE);
    }
    thrift_out_end(h);
    textbuf_char(&h->text, 0);
}

static int put_page(struct textbuf *out, struct zpack *pack, const struct page *page,
                    const struct textbuf *body, struct parquet_chunk *chunk)
{
    struct thrift_out header = {0};
    const char *bytes = body->bytes;
    size_t len = body->len, before = out->len;
    if (body->is_bad)
        return -ENOMEM;
    int error = zpack_pack(pack, &bytes, &len);
    if (error < 0)
        return error;
    put_header(&header, page, body->len, len);
    textbuf_bytes(out, header.text.bytes, header.text.len);
    textbuf_bytes(out, bytes, len);
    chunk->plain_bytes += header.text.len + body->len;
    chunk->packed_bytes += out->len - before;
    bool is_bad = out->is_bad || header.text.is_bad;
    textbuf_done(&header.text);
    return is_bad ? -ENOMEM : 0;
}

static unsigned width_of(uint32_t count)
{
    unsigned width = 1;
    while (width < 32 && count > 1u << width)
        width++;
    return width;
}

static void put_body(struct textbuf *body, const struct parquet_column *c)
{
    const struct numbers levels = {c, true, c->rows, 1};
    const struct numbers numbers = {c, false, c->rows - c->nulls, width_of(c->word_count)};
    put_u32(body, 0);
    put_hybrid(body, &levels);
    if (body->is_bad)
        return;
    uint32_t len = (uint32_t)(body->len - sizeof(len));
    for (unsigned i = 0; i < sizeof(len); i++)
        body->bytes[i] = (char)(len >> 8 * i);
    if (c->type != EXPORT_TEXT && c->values.len > 0) {
        textbuf_bytes(body, c->values.bytes, c->values.len);
    } else if (c->word_count > 0) {
        textbuf_char(body, (char)numbers.width);
        put_hybrid(body, &numbers);
    }
}

int parquet_column_put(const struct parquet_column *c, struct zpack *pack, uint64_t base,
                       struct textbuf *out, struct parquet_chunk *ret_chunk)
{
    const bool has_words = c->type == EXPORT_TEXT && c->word_count > 0;
    const struct page words = {PAGE_DICTIONARY, PLAIN, c->word_count};
    const struct page data = {PAGE_DATA, has_words ? RLE_DICTIONARY : PLAIN, c->rows};
    struct textbuf body = {0};
    int error = 0;
    *ret_chunk = (struct parquet_chunk){
        .least = c->least,
        .most = c->most,
        .nulls = c->nulls,
        .has_range = c->type == EXPORT_NUMBER && c->rows > c->nulls,
        .has_dictionary = has_words,
    };
    if (has_words) {
        ret_chunk->dictionary_at = base + out->len;
        error = put_page(out, pack, &words, &c->words, ret_chunk);
    }
    ret_chunk->data_at = base + out->len;
    put_body(&body, c);
    if (error == 0)
        error = put_page(out, pack, &data, &body, ret_chunk);
    textbuf_done(&body);
    return error;
}
