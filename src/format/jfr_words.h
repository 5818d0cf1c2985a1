/*
 * jfr_words.h - the tree of elements of a metadata event, and the table of its words.
 *
 * In the file all words stand before the tree, which names them by number. So the tree is made
 * twice: the first time to collect the words, the second time to write it. Nothing here knows any
 * type. Layout: docs/format/jfr.md. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct jfr_bytes;

enum {
    JFR_WORDS_MAX = 4096,
    JFR_WORDS_TEXT = 128 << 10, /* bytes of all words */
    JFR_WORDS_BUCKETS = 2 * JFR_WORDS_MAX,
};

/** This structure is large and most of it is never touched, so allocate it with pages_map(). */
struct jfr_words {
    struct jfr_bytes *b; /* NULL: words are being collected */
    uint32_t count;
    size_t used; /* bytes used in `text` */
    const char *words[JFR_WORDS_MAX];
    uint16_t buckets[JFR_WORDS_BUCKETS]; /* number of the word + 1; 0: free */
    char text[JFR_WORDS_TEXT];
};

/** Begin with an empty table. */
void jfr_words_begin(struct jfr_words *w);
/** All words have been collected: write the table into `b`; elements that follow are written, too.
 * A word that found no room in the table is written as the first word. */
void jfr_words_write(struct jfr_words *w, struct jfr_bytes *b);
/** Begin an element. Its attributes are `count` pairs of words, and its `children` follow. */
void jfr_words_element(struct jfr_words *w, const char *name, const char *const *attributes,
                       size_t count, uint32_t children);
