/*
 * jfr_words.h - the tree of elements of a metadata event, and the table of its words.
 *
 * All words lie in front of the tree, which names them by numbers; so the tree is made twice: once
 * to collect the words, once to write. Knows no type. Layout: docs/format/jfr.md.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct jfr_bytes;

enum {
    JFR_WORDS_MAX = 4096,
    JFR_WORDS_TEXT = 128 << 10, /* bytes of all of them */
    JFR_WORDS_BUCKETS = 2 * JFR_WORDS_MAX,
};

/** Large, and most of it is not touched: memory of pages_map(). */
struct jfr_words {
    struct jfr_bytes *b; /* NULL: words are collected */
    uint32_t count;
    size_t used; /* of `text` */
    const char *words[JFR_WORDS_MAX];
    uint16_t buckets[JFR_WORDS_BUCKETS]; /* numbers of words, and 1; 0: none */
    char text[JFR_WORDS_TEXT];
};

/** There are no words. */
void jfr_words_begin(struct jfr_words *w);
/** All words have been collected: they go into `b`, and then the elements do. What found no room
 * is another word. */
void jfr_words_write(struct jfr_words *w, struct jfr_bytes *b);
/** An element begins: its attributes are `count` pairs of words, its children follow. */
void jfr_words_element(struct jfr_words *w, const char *name, const char *const *attributes,
                       size_t count, uint32_t children);
