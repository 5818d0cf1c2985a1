/*
 * otel_process.c - see otel_process.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "otel/otel_process.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/utf8.h"
#include "format/otlp.h"
#include "format/proto_in.h"
#include "otel/otel_header.h"

enum { TRIES = 8 };
enum { NAME_WORD = 5 }; /* of a line of /proc/PID/maps */

/* ---- the payload */

/* A payload that is being read. Its texts are copied behind each other into p->texts, which has
 * room for all: a text with its NUL is not longer than the field that holds it. */
struct decoding {
    struct otel_process *p;
    size_t used;
};

/* NULL: the bytes are no text for people. */
static const char *keep(struct decoding *d, const struct proto_in_field *f)
{
    char *text = d->p->texts + d->used;
    if (f->type != PROTO_BYTES || f->len == 0 || f->len > OTEL_PROCESS_TEXT ||
        !utf8_is_plain((const char *)f->bytes, f->len))
        return NULL;
    memcpy(text, f->bytes, f->len);
    text[f->len] = '\0';
    d->used += f->len + 1;
    return text;
}

/* The fields of a KeyValue. Returns an error. */
struct pair {
    struct proto_in_field key, value;
};

static int read_pair(const struct proto_in_field *field, struct pair *ret)
{
    struct rd in;
    struct proto_in_field f;
    *ret = (struct pair){0};
    if (field->type != PROTO_BYTES)
        return E_FORMAT;
    rd_init(&in, field->bytes, field->len);
    while (proto_in_next(&in, &f)) {
        if (f.number == OTLP_KEY)
            ret->key = f;
        else if (f.number == OTLP_VALUE)
            ret->value = f;
    }
    return in.error;
}

static bool is_key(const struct pair *pair, const char *key)
{
    return pair->key.type == PROTO_BYTES && pair->key.len == strlen(key) &&
           memcmp(pair->key.bytes, key, pair->key.len) == 0;
}

/* Find a field of an AnyValue. Returns whether it is there; *ret_error is of a damaged message. */
static bool find_any(const struct proto_in_field *value, uint64_t number,
                     struct proto_in_field *ret, int *ret_error)
{
    struct rd in;
    struct proto_in_field f;
    bool is_there = false;
    if (value->type != PROTO_BYTES)
        return false;
    rd_init(&in, value->bytes, value->len);
    while (proto_in_next(&in, &f))
        if (f.number == number) {
            *ret = f;
            is_there = true;
        }
    *ret_error = in.error;
    return is_there && in.error == 0;
}

static int read_attribute(struct decoding *d, const struct proto_in_field *field)
{
    struct otel_process *p = d->p;
    struct pair pair;
    struct proto_in_field text;
    int error = read_pair(field, &pair);
    if (error < 0)
        return error;
    bool is_text = find_any(&pair.value, OTLP_ANY_STRING, &text, &error);
    if (error < 0)
        return error;
    const char *key = is_text ? keep(d, &pair.key) : NULL, *value = key ? keep(d, &text) : NULL;
    if (value && p->attribute_count < OTEL_PROCESS_ATTRIBUTES)
        p->attributes[p->attribute_count++] = (struct otel_process_attribute){key, value};
    else
        p->left_out++;
    return 0;
}

static int read_resource(struct decoding *d, const struct proto_in_field *field)
{
    struct rd in;
    struct proto_in_field f;
    int error = 0;
    if (field->type != PROTO_BYTES)
        return E_FORMAT;
    rd_init(&in, field->bytes, field->len);
    while (error == 0 && proto_in_next(&in, &f))
        if (f.number == OTLP_RESOURCE_ATTRIBUTES)
            error = read_attribute(d, &f);
    return error < 0 ? error : in.error;
}

static int read_keys(struct decoding *d, const struct proto_in_field *list)
{
    struct otel_process *p = d->p;
    struct rd in;
    struct proto_in_field f, text;
    int error = 0;
    rd_init(&in, list->bytes, list->len);
    p->key_count = 0;
    while (error == 0 && proto_in_next(&in, &f)) {
        if (f.number != OTEL_HEADER_ARRAY_VALUES)
            continue;
        bool is_text = find_any(&f, OTLP_ANY_STRING, &text, &error);
        if (p->key_count < OTEL_PROCESS_KEYS)
            p->keys[p->key_count++] = is_text ? keep(d, &text) : NULL;
    }
    return error < 0 ? error : in.error;
}

/* An attribute beside the resource. */
static int read_other(struct decoding *d, const struct proto_in_field *field)
{
    struct pair pair;
    struct proto_in_field list;
    int error = read_pair(field, &pair);
    if (error < 0 || !is_key(&pair, OTEL_HEADER_NAMES_KEY))
        return error;
    if (!find_any(&pair.value, OTEL_HEADER_ANY_ARRAY, &list, &error) || list.type != PROTO_BYTES)
        return error;
    return read_keys(d, &list);
}

int otel_process_decode(const void *payload, size_t len, struct otel_process *ret)
{
    struct decoding d = {.p = ret};
    struct rd in;
    struct proto_in_field f;
    int error = 0;
    *ret = (struct otel_process){.texts = malloc(2 * len + 1)};
    if (!ret->texts)
        return -ENOMEM;
    rd_init(&in, payload, len);
    while (error == 0 && proto_in_next(&in, &f)) {
        if (f.number == OTEL_HEADER_RESOURCE)
            error = read_resource(&d, &f);
        else if (f.number == OTEL_HEADER_ATTRIBUTES)
            error = read_other(&d, &f);
    }
    error = error < 0 ? error : in.error;
    if (error < 0)
        otel_process_done(ret);
    return error;
}

/* ---- the header */

/* Errors: as otel_process_find(); -EAGAIN: it has changed meanwhile. */
static int copy(uint64_t addr, otel_process_read read, void *with, struct otel_header *h,
                unsigned char **ret_payload)
{
    uint64_t again = 0;
    unsigned char *payload;
    int error = read(with, addr, h, sizeof(*h));
    if (error < 0)
        return -EFAULT;
    if (memcmp(h->signature, OTEL_HEADER_SIGNATURE, OTEL_HEADER_SIGNATURE_BYTES) != 0 ||
        h->version != OTEL_HEADER_VERSION)
        return E_NOT_FOUND;
    if (h->published_ns == 0)
        return -EAGAIN;
    if (h->payload_bytes > OTEL_PROCESS_PAYLOAD)
        return E_LIMIT;
    payload = malloc((size_t)h->payload_bytes + 1);
    if (!payload)
        return -ENOMEM;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    bool is_read = h->payload_bytes == 0 || read(with, h->payload, payload, h->payload_bytes) == 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    bool is_there =
        read(with, addr + offsetof(struct otel_header, published_ns), &again, sizeof(again)) == 0;
    if (is_there && again != h->published_ns)
        error = -EAGAIN; /* the payload may be any bytes, and anywhere */
    else
        error = is_there && is_read ? 0 : -EFAULT;
    if (error < 0)
        free(payload);
    else
        *ret_payload = payload;
    return error;
}

int otel_process_at(uint64_t addr, otel_process_read read, void *with, struct otel_process *ret)
{
    struct otel_header header;
    unsigned char *payload = NULL;
    int error = -EAGAIN;
    for (int i = 0; i < TRIES && error == -EAGAIN; i++)
        error = copy(addr, read, with, &header, &payload);
    if (error < 0)
        return error;
    error = otel_process_decode(payload, header.payload_bytes, ret);
    free(payload);
    if (error == 0) {
        ret->header = addr;
        ret->published_ns = header.published_ns;
    }
    return error;
}

bool otel_process_is_same(const struct otel_process *p, otel_process_read read, void *with)
{
    struct otel_header h;
    return p->header != 0 && read(with, p->header, &h, sizeof(h)) == 0 &&
           memcmp(h.signature, OTEL_HEADER_SIGNATURE, OTEL_HEADER_SIGNATURE_BYTES) == 0 &&
           h.published_ns == p->published_ns;
}

bool otel_process_is_mapping(const char *line, uint64_t *ret_addr)
{
    /* A line: start-end rwxp offset device inode name. */
    static const char *const names[] = {"[anon_shmem:" OTEL_HEADER_SIGNATURE "]",
                                        "[anon:" OTEL_HEADER_SIGNATURE "]",
                                        "/memfd:" OTEL_HEADER_SIGNATURE};
    const char *name = line;
    char *end;
    *ret_addr = strtoull(line, &end, 16);
    if (end == line || *end != '-')
        return false;
    for (int word = 0; word < NAME_WORD; word++) {
        name += strcspn(name, " ");
        name += strspn(name, " ");
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

int otel_process_find(FILE *maps, otel_process_read read, void *with, struct otel_process *ret)
{
    char *line = NULL;
    size_t size = 0;
    uint64_t addr;
    int error = E_NOT_FOUND;
    for (int i = 0; error < 0 && error != -ENOMEM && i < OTEL_PROCESS_MAPPINGS &&
                    getline(&line, &size, maps) > 0;) {
        if (!otel_process_is_mapping(line, &addr))
            continue;
        error = otel_process_at(addr, read, with, ret);
        i++;
    }
    free(line);
    return error;
}

void otel_process_done(struct otel_process *p)
{
    free(p->texts);
    *p = (struct otel_process){0};
}

const char *otel_process_value(const struct otel_process *p, const char *key)
{
    for (uint32_t i = 0; i < p->attribute_count; i++)
        if (strcmp(p->attributes[i].key, key) == 0)
            return p->attributes[i].value;
    return NULL;
}
