/*
 * push_answer.c - see push_answer.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "push/push_answer.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/rd.h"
#include "format/otlp.h"
#include "format/proto_in.h"

enum { AFTER_MAX_S = 24 * 3600 };

enum push_verdict push_answer_verdict(const struct push_answer *a)
{
    if (a->status >= 200 && a->status < 300)
        return PUSH_TAKEN;
    if (a->status == 413)
        return PUSH_TOO_LARGE;
    if (a->status == 429 || a->status == 502 || a->status == 503 || a->status == 504 ||
        (a->status == 0 && a->can_retry))
        return PUSH_AGAIN;
    return PUSH_REFUSED;
}

int64_t push_answer_retry_after(const char *value, int64_t now_s)
{
    char *end;
    struct tm utc = {0};
    value += strspn(value, " \t");
    if (*value >= '0' && *value <= '9') {
        unsigned long long s = strtoull(value, &end, 10);
        end += strspn(end, " \t\r\n");
        return *end != '\0' ? -1 : s > AFTER_MAX_S ? AFTER_MAX_S : (int64_t)s;
    }
    end = strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &utc);
    if (!end)
        return -1;
    int64_t left = (int64_t)timegm(&utc) - now_s;
    return left < 0 ? 0 : left > AFTER_MAX_S ? AFTER_MAX_S : left;
}

void push_answer_words(const unsigned char *body, size_t len, char ret_words[PUSH_ANSWER_WORDS])
{
    size_t at = 0;
    for (size_t i = 0; i < len && at + 1 < PUSH_ANSWER_WORDS; i++) {
        bool is_blank = body[i] == '\n' || body[i] == '\r' || body[i] == '\t' || body[i] == ' ';
        if (is_blank && (at == 0 || ret_words[at - 1] == ' '))
            continue;
        ret_words[at++] = is_blank ? ' ' : body[i] < ' ' || body[i] > '~' ? '?' : (char)body[i];
    }
    ret_words[at] = '\0';
}

uint64_t push_answer_rejected(const unsigned char *body, size_t len,
                              char ret_words[PUSH_ANSWER_WORDS])
{
    struct rd answer, partial;
    struct proto_in_field field, part;
    uint64_t rejected = 0;
    rd_init(&answer, body, len);
    ret_words[0] = '\0';
    while (proto_in_next(&answer, &field)) {
        if (field.number != OTLP_ANSWER_PARTIAL || field.type != PROTO_BYTES)
            continue;
        rd_init(&partial, field.bytes, field.len);
        while (proto_in_next(&partial, &part)) {
            if (part.number == OTLP_PARTIAL_REJECTED && part.type == PROTO_VARINT)
                rejected = part.value <= INT64_MAX ? part.value : 0;
            if (part.number == OTLP_PARTIAL_MESSAGE && part.type == PROTO_BYTES)
                push_answer_words(part.bytes, part.len, ret_words);
        }
    }
    return rejected;
}
