/*
 * footprint_nmt.c - see footprint_nmt.h.
 *
 * A category is a line "-   Java Heap (reserved=8388608KB, committed=524288KB)"; lines below it
 * that have no such beginning are its parts, "(malloc=13KB #155)" and "(arena=12KB #10)" among
 * them. SPDX-License-Identifier: Apache-2.0
 */
#include "footprint/footprint_nmt.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

enum { KB = 1024 };

/* The number of "name=12KB" within the line, in bytes; 0: there is none. */
static uint64_t number_of(const char *line, size_t len, const char *name)
{
    const char *at = memmem(line, len, name, strlen(name));
    if (!at)
        return 0;
    at += strlen(name);
    if (*at < '0' || *at > '9')
        return 0;
    errno = 0;
    uint64_t kb = strtoull(at, NULL, 10);
    return errno == 0 && kb <= UINT64_MAX / KB / FOOTPRINT_NMT_ROWS ? kb * KB : 0;
}

static void begin_row(struct footprint_nmt *n, const char *line, size_t len)
{
    struct footprint_nmt_row *row = &n->rows[n->count];
    const char *name = line + 1 + strspn(line + 1, " ");
    const char *end = name < line + len ? memchr(name, '(', len - (size_t)(name - line)) : NULL;
    if (!end || !memmem(line, len, "reserved=", 9) || n->count == FOOTPRINT_NMT_ROWS)
        return;
    while (end > name && end[-1] == ' ')
        end--;
    *row = (struct footprint_nmt_row){.reserved = number_of(line, len, "(reserved="),
                                      .committed = number_of(line, len, "committed=")};
    snprintf(row->name, sizeof(row->name), "%.*s", (int)(end - name), name);
    n->count++;
}

int footprint_nmt_parse(const char *text, struct footprint_nmt *ret)
{
    *ret = (struct footprint_nmt){.count = 0};
    for (const char *line = text; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        if (*line == '-') {
            begin_row(ret, line, len);
        } else if (ret->count > 0) {
            struct footprint_nmt_row *row = &ret->rows[ret->count - 1];
            row->malloc += number_of(line, len, "(malloc=") + number_of(line, len, "(arena=");
        }
        line += len + (line[len] == '\n');
    }
    return ret->count > 0 ? 0 : E_NOT_FOUND;
}
