/*
 * jfr_words.c - see jfr_words.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_words.h"
#include <string.h>
#include "base/fnv.h"
#include "format/jfr_bytes.h"

void jfr_words_begin(struct jfr_words *w)
{
    w->b = NULL;
    w->count = 0;
    w->used = 0;
    memset(w->buckets, 0, sizeof(w->buckets));
}

void jfr_words_write(struct jfr_words *w, struct jfr_bytes *b)
{
    jfr_bytes_leb(b, w->count);
    for (uint32_t i = 0; i < w->count; i++)
        jfr_bytes_text(b, w->words[i], strlen(w->words[i]));
    w->b = b;
}

/* The number of a word. While words are collected, an unknown word is added. */
static uint32_t word(struct jfr_words *w, const char *text)
{
    size_t len = strlen(text) + 1;
    uint32_t at = (uint32_t)(fnv_end(fnv_add(FNV_START, text, len - 1)) % JFR_WORDS_BUCKETS);
    while (w->buckets[at] && strcmp(w->words[w->buckets[at] - 1], text) != 0)
        at = (at + 1) % JFR_WORDS_BUCKETS;
    if (!w->buckets[at] && !w->b && w->count < JFR_WORDS_MAX && len <= sizeof(w->text) - w->used) {
        w->words[w->count++] = memcpy(w->text + w->used, text, len);
        w->used += len;
        w->buckets[at] = (uint16_t)w->count;
    }
    return w->buckets[at] ? w->buckets[at] - 1u : 0;
}

static void number(struct jfr_words *w, uint32_t n)
{
    if (w->b)
        jfr_bytes_leb(w->b, n);
}

void jfr_words_element(struct jfr_words *w, const char *name, const char *const *attributes,
                       size_t count, uint32_t children)
{
    number(w, word(w, name));
    number(w, (uint32_t)count);
    for (size_t i = 0; i < 2 * count; i++)
        number(w, word(w, attributes[i]));
    number(w, children);
}
