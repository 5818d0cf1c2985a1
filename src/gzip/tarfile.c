/*
 * tarfile.c - see tarfile.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gzip/tarfile.h"
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"

/* The places of the fields in a head. */
enum {
    NAME = 0,
    MODE = 100,
    UID = 108,
    GID = 116,
    SIZE = 124,
    TIME = 136,
    SUM = 148,
    TYPE = 156,
    MAGIC = 257,
    SUM_LEN = 8,
    SIZE_LEN = 12,
    BINARY = 0x80,
    PIECE = 4096,
};

/* With the version, "00", behind its final 0. */
static const char magic[8] = {'u', 's', 't', 'a', 'r', '\0', '0', '0'};
static const char zeros[2 * TARFILE_BLOCK];

static unsigned sum_of(const unsigned char *head)
{
    unsigned sum = 0;
    for (int i = 0; i < TARFILE_BLOCK; i++)
        sum += i >= SUM && i < SUM + SUM_LEN ? ' ' : head[i];
    return sum;
}

void tarfile_head(struct sink *out, const char *name, uint64_t len, int64_t time_s)
{
    unsigned char head[TARFILE_BLOCK] = {0};
    char *text = (char *)head;
    snprintf(text + NAME, TARFILE_NAME, "%s", name);
    snprintf(text + MODE, 8, "0000600");
    snprintf(text + UID, 8, "0000000");
    snprintf(text + GID, 8, "0000000");
    snprintf(text + SIZE, SIZE_LEN, "%011llo", (unsigned long long)len);
    snprintf(text + TIME, SIZE_LEN, "%011llo", (unsigned long long)time_s);
    head[TYPE] = '0';
    memcpy(head + MAGIC, magic, sizeof(magic));
    snprintf(text + SUM, SUM_LEN, "%06o", sum_of(head));
    head[SUM + SUM_LEN - 1] = ' ';
    sink_bytes(out, head, sizeof(head));
}

void tarfile_pad(struct sink *out, uint64_t len)
{
    uint64_t rest = len % TARFILE_BLOCK;
    if (rest > 0)
        sink_bytes(out, zeros, (size_t)(TARFILE_BLOCK - rest));
}

void tarfile_end(struct sink *out)
{
    sink_bytes(out, zeros, sizeof(zeros));
}

/* ---- reading */

/* An octal number, or, of files beyond 8 GB, a binary one. */
static uint64_t number_at(const unsigned char *at, int len)
{
    uint64_t value = 0;
    if (*at & BINARY) {
        for (int i = len - 8; i < len; i++)
            value = value << 8 | at[i];
        return value;
    }
    for (int i = 0; i < len; i++)
        if (at[i] >= '0' && at[i] <= '7')
            value = value << 3 | (uint64_t)(at[i] - '0');
        else if (at[i] != ' ' || value != 0)
            break;
    return value;
}

bool tarfile_is_one(const void *bytes, size_t len)
{
    const unsigned char *head = bytes;
    return len >= TARFILE_BLOCK && memcmp(head + MAGIC, "ustar", 5) == 0 &&
           number_at(head + SUM, SUM_LEN) == sum_of(head);
}

static int read_whole(struct tarfile *t, unsigned char *to, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t got = t->read(t->from, to + at, len - at);
        if (got <= 0)
            return got < 0 ? (int)got : at == 0 ? 0 : E_TRUNCATED;
        at += (size_t)got;
    }
    return 1;
}

static int skip(struct tarfile *t)
{
    unsigned char bytes[PIECE];
    uint64_t left = t->left + t->pad;
    t->left = t->pad = 0;
    while (left > 0) {
        size_t piece = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);
        int got = read_whole(t, bytes, piece);
        if (got <= 0)
            return got < 0 ? got : E_TRUNCATED;
        left -= piece;
    }
    return 1;
}

int tarfile_next(struct tarfile *t)
{
    unsigned char head[TARFILE_BLOCK];
    while (true) {
        int got = skip(t);
        if (got > 0)
            got = read_whole(t, head, sizeof(head));
        if (got <= 0)
            return got;
        if (memcmp(head, zeros, sizeof(head)) == 0)
            return 0;
        if (!tarfile_is_one(head, sizeof(head)))
            return E_FORMAT;
        t->left = number_at(head + SIZE, SIZE_LEN);
        if (t->left > INT64_MAX)
            return E_FORMAT;
        t->pad = (TARFILE_BLOCK - t->left % TARFILE_BLOCK) % TARFILE_BLOCK;
        memcpy(t->name, head + NAME, TARFILE_NAME);
        t->name[TARFILE_NAME - 1] = '\0';
        if (head[TYPE] == '0' || head[TYPE] == '\0')
            return 1;
    }
}

ssize_t tarfile_read(struct tarfile *t, unsigned char *to, size_t room)
{
    size_t want = t->left < room ? (size_t)t->left : room;
    ssize_t got = want > 0 ? t->read(t->from, to, want) : 0;
    if (got > 0)
        t->left -= (uint64_t)got;
    return want > 0 && got == 0 ? E_TRUNCATED : got;
}
