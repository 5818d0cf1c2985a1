/*
 * parquet_footer.c - see parquet_footer.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "export/parquet_footer.h"
#include <string.h>
#include "export/thrift_out.h"

enum {
    /* parquet.thrift */
    VERSION = 1,
    TYPE_INT64 = 2,
    TYPE_DOUBLE = 5,
    TYPE_BYTE_ARRAY = 6,
    OPTIONAL = 1,
    UTF8 = 0,
    PLAIN = 0,
    RLE = 3,
    RLE_DICTIONARY = 8,
    UNCOMPRESSED = 0,
    ZSTD = 6,
};

static int type_of(enum export_type type)
{
    return type == EXPORT_NUMBER ? TYPE_INT64 : type == EXPORT_REAL ? TYPE_DOUBLE : TYPE_BYTE_ARRAY;
}

static void put_schema(struct thrift_out *t, const struct parquet_footer *f)
{
    thrift_out_list(t, 2, THRIFT_STRUCT, (size_t)f->column_count + 1);
    thrift_out_element_begin(t);
    thrift_out_bytes(t, 4, "schema", strlen("schema"));
    thrift_out_number(t, 5, THRIFT_I32, f->column_count);
    thrift_out_end(t);
    for (uint32_t i = 0; i < f->column_count; i++) {
        const struct export_column *c = &f->columns[i];
        thrift_out_element_begin(t);
        thrift_out_number(t, 1, THRIFT_I32, type_of(c->type));
        thrift_out_number(t, 3, THRIFT_I32, OPTIONAL);
        thrift_out_bytes(t, 4, c->name, strlen(c->name));
        if (c->type == EXPORT_TEXT) {
            thrift_out_number(t, 6, THRIFT_I32, UTF8);
            thrift_out_begin(t, 10); /* LogicalType: STRING */
            thrift_out_begin(t, 1);
            thrift_out_end(t);
            thrift_out_end(t);
        }
        thrift_out_end(t);
    }
}

static void put_range(struct thrift_out *t, const struct parquet_chunk *c)
{
    unsigned char most[8], least[8];
    for (unsigned i = 0; i < sizeof(most); i++) {
        most[i] = (unsigned char)((uint64_t)c->most >> 8 * i);
        least[i] = (unsigned char)((uint64_t)c->least >> 8 * i);
    }
    thrift_out_begin(t, 12);
    thrift_out_number(t, 3, THRIFT_I64, c->nulls);
    if (c->has_range) {
        thrift_out_bytes(t, 5, most, sizeof(most));
        thrift_out_bytes(t, 6, least, sizeof(least));
    }
    thrift_out_end(t);
}

static void put_chunk(struct thrift_out *t, const struct parquet_footer *f, uint32_t column,
                      const struct parquet_group *g)
{
    const struct parquet_chunk *c = &g->chunks[column];
    const struct export_column *of = &f->columns[column];
    thrift_out_element_begin(t);
    thrift_out_number(t, 2, THRIFT_I64,
                      (int64_t)(c->has_dictionary ? c->dictionary_at : c->data_at));
    thrift_out_begin(t, 3);
    thrift_out_number(t, 1, THRIFT_I32, type_of(of->type));
    thrift_out_list(t, 2, THRIFT_I32, c->has_dictionary ? 3 : 2);
    thrift_out_element(t, PLAIN);
    thrift_out_element(t, RLE);
    if (c->has_dictionary)
        thrift_out_element(t, RLE_DICTIONARY);
    thrift_out_list(t, 3, THRIFT_BINARY, 1);
    thrift_out_element_bytes(t, of->name, strlen(of->name));
    thrift_out_number(t, 4, THRIFT_I32, f->is_packed ? ZSTD : UNCOMPRESSED);
    thrift_out_number(t, 5, THRIFT_I64, g->rows);
    thrift_out_number(t, 6, THRIFT_I64, (int64_t)c->plain_bytes);
    thrift_out_number(t, 7, THRIFT_I64, (int64_t)c->packed_bytes);
    thrift_out_number(t, 9, THRIFT_I64, (int64_t)c->data_at);
    if (c->has_dictionary)
        thrift_out_number(t, 11, THRIFT_I64, (int64_t)c->dictionary_at);
    put_range(t, c);
    thrift_out_end(t);
    thrift_out_end(t);
}

static void put_group(struct thrift_out *t, const struct parquet_footer *f,
                      const struct parquet_group *g)
{
    uint64_t plain = 0, packed = 0;
    thrift_out_element_begin(t);
    thrift_out_list(t, 1, THRIFT_STRUCT, f->column_count);
    for (uint32_t i = 0; i < f->column_count; i++) {
        put_chunk(t, f, i, g);
        plain += g->chunks[i].plain_bytes;
        packed += g->chunks[i].packed_bytes;
    }
    thrift_out_number(t, 2, THRIFT_I64, (int64_t)plain);
    thrift_out_number(t, 3, THRIFT_I64, g->rows);
    thrift_out_number(t, 6, THRIFT_I64, (int64_t)packed);
    thrift_out_end(t);
}

void parquet_footer_put(const struct parquet_footer *f, struct textbuf *out)
{
    struct thrift_out t = {0};
    uint64_t rows = 0;
    for (uint32_t i = 0; i < f->group_count; i++)
        rows += f->groups[i].rows;
    thrift_out_number(&t, 1, THRIFT_I32, VERSION);
    put_schema(&t, f);
    thrift_out_number(&t, 3, THRIFT_I64, (int64_t)rows);
    thrift_out_list(&t, 4, THRIFT_STRUCT, f->group_count);
    for (uint32_t i = 0; i < f->group_count; i++)
        put_group(&t, f, &f->groups[i]);
    thrift_out_bytes(&t, 6, "hprof version " HPROF_VERSION, strlen("hprof version " HPROF_VERSION));
    textbuf_char(&t.text, 0);
    uint32_t len = (uint32_t)t.text.len;
    textbuf_bytes(out, t.text.bytes, t.text.is_bad ? 0 : t.text.len);
    for (unsigned i = 0; i < sizeof(len); i++)
        textbuf_char(out, (char)(len >> 8 * i));
    textbuf_text(out, PARQUET_MAGIC);
    out->is_bad |= t.text.is_bad;
    textbuf_done(&t.text);
}
