/*
 * parquet_column.c - see parquet_column.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "export/parquet_column.h"
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "export/thrift_out.h"
#include "gzip/zpack.h"

enum {
    GROUP = 8, /* values that are packed together */
    SLOTS_LEAST = 64,
    KEPT_BITS = 8, /* of the number of texts that are found by address */
    NUMBER_TEXT = 32,
    RANGE_MAX = 1 << 16, /* numbers of a dictionary of whole numbers */
    RANGE_SHARE = 4,     /* there are so many times more values than numbers in it */
    /* parquet.thrift */
    PAGE_DATA = 0,
    PAGE_DICTIONARY = 2,
    PLAIN = 0,
    RLE = 3,
    RLE_DICTIONARY = 8,
};

/* A text that was added before. */
struct parquet_kept {
    const char *bytes; /* NULL: the slot is free */
    uint32_t len, number;
};

/* ---- values */

static void put_u32(struct textbuf *t, uint32_t v)
{
    v = htole32(v);
    textbuf_bytes(t, (const char *)&v, sizeof(v));
}

static void put_u64(struct textbuf *t, uint64_t v)
{
    v = htole64(v);
    textbuf_bytes(t, (const char *)&v, sizeof(v));
}

static uint32_t u32_at(const struct textbuf *t, size_t number)
{
    uint32_t v;
    memcpy(&v, t->bytes + number * sizeof(v), sizeof(v));
    return le32toh(v);
}

static uint64_t u64_at(const struct textbuf *t, size_t number)
{
    uint64_t v;
    memcpy(&v, t->bytes + number * sizeof(v), sizeof(v));
    return le64toh(v);
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

/* Finds the number of a text, or gives it one. Returns false, with a buffer that is bad, if there
 * is no memory. */
static bool find_word(struct parquet_column *c, const struct lookup_key *key, const char *text,
                      size_t len, uint32_t *ret_number)
{
    if ((c->word_count * 2 >= c->slot_count && !grow_slots(c, key)) ||
        (c->word_count == c->end_room && !grow_ends(c))) {
        c->values.is_bad = true;
        return false;
    }
    uint32_t at = lookup_hash(key, text, len) & (c->slot_count - 1), number;
    for (; (number = c->slots[at]) != 0; at = (at + 1) & (c->slot_count - 1)) {
        size_t other_len;
        const char *other = word_at(c, number - 1, &other_len);
        *ret_number = number - 1;
        if (other_len == len && (len == 0 || memcmp(other, text, len) == 0))
            return true;
    }
    put_u32(&c->words, (uint32_t)len);
    textbuf_bytes(&c->words, text, len);
    if (c->words.is_bad)
        return false;
    c->ends[c->word_count] = (uint32_t)c->words.len;
    *ret_number = c->word_count;
    c->slots[at] = ++c->word_count;
    return true;
}

/* Adds the number of a text to the values. */
static void put_number(struct parquet_column *c, uint32_t number)
{
    if (c->word_count == 1)
        return;
    if (c->values.len == 0)
        textbuf_fill(&c->values, 0, (c->rows - c->nulls) * sizeof(number));
    put_u32(&c->values, number);
}

static void add_word(struct parquet_column *c, const struct lookup_key *key, const char *text,
                     size_t len)
{
    uint32_t number;
    if (find_word(c, key, text, len, &number))
        put_number(c, number);
}

/* The slot for texts at this address. NULL: no memory. */
static struct parquet_kept *kept_slot(struct parquet_column *c, uint32_t input, const char *bytes)
{
    const size_t count = (size_t)1 << KEPT_BITS;
    if (!c->kept)
        c->kept = calloc(count, sizeof(*c->kept));
    else if (c->kept_input != input)
        memset(c->kept, 0, count * sizeof(*c->kept));
    c->kept_input = input;
    uint64_t mixed = (uint64_t)(uintptr_t)bytes * UINT64_C(0x9e3779b97f4a7c15);
    return c->kept ? &c->kept[mixed >> (64 - KEPT_BITS)] : NULL;
}

/* Adds a text that stays at its address until the input ends. */
static void add_kept(struct parquet_column *c, const struct parquet_texts *texts,
                     const struct query_value *v)
{
    struct parquet_kept *slot = kept_slot(c, texts->input, v->bytes);
    if (slot && slot->bytes == v->bytes && slot->len == v->len) {
        put_number(c, slot->number);
        return;
    }
    uint32_t number;
    if (!find_word(c, &texts->key, v->bytes, v->len, &number))
        return;
    if (slot)
        *slot = (struct parquet_kept){v->bytes, (uint32_t)v->len, number};
    put_number(c, number);
}

static void add_number(struct parquet_column *c, int64_t number)
{
    uint32_t count = c->rows - c->nulls;
    if (count == 0)
        c->least = c->most = number;
    if (c->least == c->most) {
        if (number == c->least)
            return;
        for (uint32_t i = 0; i < count; i++)
            put_u64(&c->values, (uint64_t)c->least);
    }
    c->least = number < c->least ? number : c->least;
    c->most = number > c->most ? number : c->most;
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
    return is_number || (c->type == EXPORT_TEXT && v->type == QUERY_VALUE_TEXT && v->bytes);
}

static void add_text(struct parquet_column *c, const struct parquet_texts *texts,
                     const struct query_value *v)
{
    char number[NUMBER_TEXT];
    if (v->type == QUERY_VALUE_TEXT) {
        if (v->is_kept)
            add_kept(c, texts, v);
        else
            add_word(c, &texts->key, v->bytes, v->len);
        return;
    }
    int len = v->type == QUERY_VALUE_REAL
                  ? snprintf(number, sizeof(number), "%.17g", v->real)
                  : snprintf(number, sizeof(number), "%lld", (long long)v->number);
    add_word(c, &texts->key, number, (size_t)len);
}

static void add_value(struct parquet_column *c, const struct parquet_texts *texts,
                      const struct query_value *v)
{
    if (c->type == EXPORT_NUMBER)
        add_number(c, number_of(v));
    else if (c->type == EXPORT_REAL)
        add_real(c, v->type == QUERY_VALUE_REAL ? v->real : (double)v->number);
    else
        add_text(c, texts, v);
}

/* Makes the bits of the rows before, which all have a value, or none does. */
static void begin_present(struct parquet_column *c)
{
    uint32_t whole = c->rows / 8, rest = c->rows % 8;
    bool is_there = c->nulls == 0;
    textbuf_fill(&c->present, (char)(is_there ? 0xff : 0), whole);
    if (rest > 0)
        textbuf_char(&c->present, (char)(is_there ? (1 << rest) - 1 : 0));
}

/* Notes whether the next row has a value. */
static void add_present(struct parquet_column *c, bool is_there)
{
    bool is_mixed = c->nulls > 0 && c->nulls < c->rows;
    if (!is_mixed) {
        if (c->rows == 0 || is_there == (c->nulls == 0))
            return;
        begin_present(c);
    }
    if (c->rows % 8 == 0)
        textbuf_char(&c->present, 0);
    if (is_there && !c->present.is_bad)
        c->present.bytes[c->rows / 8] |= (char)(1 << c->rows % 8);
}

/* The bytes that are kept, with the tables by which words are found. */
static size_t kept_bytes(const struct parquet_column *c)
{
    return c->present.len + c->values.len + c->words.len +
           (size_t)c->word_count * 4 * sizeof(uint32_t);
}

size_t parquet_column_add_row(struct parquet_column *columns, uint32_t count,
                              const struct parquet_texts *texts, const struct query_value *values)
{
    size_t more = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct parquet_column *c = &columns[i];
        size_t before = kept_bytes(c);
        bool is_there = takes(c, &values[i]);
        if (is_there)
            add_value(c, texts, &values[i]);
        add_present(c, is_there);
        c->rows++;
        c->nulls += !is_there;
        more += kept_bytes(c) - before;
    }
    return more;
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
    free(c->kept);
    *c = (struct parquet_column){.type = c->type};
}

/* ---- the hybrid of runs and packed bits */

static void put_varint(struct textbuf *t, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        textbuf_char(t, (char)(v | 0x80));
    textbuf_char(t, (char)v);
}

/* Begins a run of one value, whose bytes follow. */
static void begin_run(struct textbuf *t, uint32_t count)
{
    put_varint(t, (uint64_t)count << 1);
}

/* Begins values that are packed, in groups of eight; the last one is filled with zeros. Returns how
 * many values follow. */
static uint32_t begin_packed(struct textbuf *t, uint32_t count)
{
    uint32_t groups = (count + GROUP - 1) / GROUP;
    put_varint(t, (uint64_t)groups << 1 | 1);
    return groups * GROUP;
}

/* The definition levels: 1 for a row with a value. */
static void put_levels(struct textbuf *t, const struct parquet_column *c)
{
    if (c->nulls == 0 || c->nulls == c->rows) {
        begin_run(t, c->rows);
        textbuf_char(t, c->nulls == 0);
        return;
    }
    begin_packed(t, c->rows);
    textbuf_bytes(t, c->present.bytes, c->present.len);
}

/* ---- dictionaries */

/* How many numbers the dictionary has; 0: there is none. Every number from the least to the most is
 * in it, so nothing is searched for. */
static uint32_t dictionary_count(const struct parquet_column *c)
{
    uint32_t count = c->rows - c->nulls;
    if (c->type == EXPORT_TEXT)
        return c->word_count;
    uint64_t range = (uint64_t)c->most - (uint64_t)c->least;
    return c->type == EXPORT_NUMBER && count > 0 &&
                   (range == 0 || (range < RANGE_MAX && range < count / RANGE_SHARE))
               ? (uint32_t)range + 1
               : 0;
}

static void put_range(struct textbuf *t, const struct parquet_column *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put_u64(t, (uint64_t)c->least + i);
}

static uint32_t index_at(const struct parquet_column *c, uint32_t i)
{
    return c->type == EXPORT_TEXT ? u32_at(&c->values, i)
                                  : (uint32_t)(u64_at(&c->values, i) - (uint64_t)c->least);
}

/* Writes the index of each value, in whole bytes: zstd finds more in bytes than in packed bits. */
static void put_indexes(struct textbuf *t, const struct parquet_column *c, uint32_t dictionary)
{
    uint32_t count = c->rows - c->nulls;
    unsigned bytes = dictionary <= 1 << 8 ? 1 : dictionary <= 1 << 16 ? 2 : 4;
    textbuf_char(t, (char)(bytes * 8));
    if (dictionary == 1) {
        begin_run(t, count);
        textbuf_char(t, 0);
        return;
    }
    uint32_t filled = begin_packed(t, count);
    char *to = textbuf_room(t, (size_t)filled * bytes);
    if (!to)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = htole32(index_at(c, i));
        memcpy(to, &index, bytes);
        to += bytes;
    }
    memset(to, 0, (size_t)(filled - count) * bytes);
    textbuf_end(t, to + (size_t)(filled - count) * bytes);
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

static void put_body(struct textbuf *body, const struct parquet_column *c, uint32_t dictionary)
{
    put_u32(body, 0);
    put_levels(body, c);
    if (body->is_bad)
        return;
    uint32_t len = htole32((uint32_t)(body->len - sizeof(len)));
    memcpy(body->bytes, &len, sizeof(len));
    if (dictionary > 0)
        put_indexes(body, c, dictionary);
    else if (c->values.len > 0)
        textbuf_bytes(body, c->values.bytes, c->values.len);
}

int parquet_column_put(const struct parquet_column *c, struct zpack *pack, uint64_t base,
                       struct textbuf *out, struct parquet_chunk *ret_chunk)
{
    uint32_t dictionary = dictionary_count(c);
    const struct page words = {PAGE_DICTIONARY, PLAIN, dictionary};
    const struct page data = {PAGE_DATA, dictionary > 0 ? RLE_DICTIONARY : PLAIN, c->rows};
    struct textbuf range = {0}, body = {0};
    int error = 0;
    *ret_chunk = (struct parquet_chunk){
        .least = c->least,
        .most = c->most,
        .nulls = c->nulls,
        .has_range = c->type == EXPORT_NUMBER && c->rows > c->nulls,
        .has_dictionary = dictionary > 0,
    };
    if (dictionary > 0) {
        ret_chunk->dictionary_at = base + out->len;
        if (c->type == EXPORT_NUMBER)
            put_range(&range, c, dictionary);
        error =
            put_page(out, pack, &words, c->type == EXPORT_NUMBER ? &range : &c->words, ret_chunk);
    }
    ret_chunk->data_at = base + out->len;
    put_body(&body, c, dictionary);
    if (error == 0)
        error = put_page(out, pack, &data, &body, ret_chunk);
    textbuf_done(&range);
    textbuf_done(&body);
    return error;
}
