/*
 * format.c - finding a format in the registry: see format.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/format.h"
#include <string.h>
#include "base/feed.h"

int format_read(const struct format *format, const void *bytes, size_t len, struct profile *profile,
                struct reader_error *ret_error)
{
    struct feed feed;
    struct reader_in in = {.feed = &feed, .profile = profile};
    int r;
    feed_memory(&feed, bytes, len);
    r = format->reader->open(&in);
    while (r >= 0 && (r = format->reader->next(&in)) > 0)
        ;
    format->reader->close(&in);
    if (r < 0)
        *ret_error = in.error;
    return r;
}

const struct format *format_named(const char *name)
{
    for (const struct format *const *f = format_all; *f; f++) {
        if (strcmp((*f)->name, name) == 0)
            return *f;
    }
    return NULL;
}

/* The length of the longest word of `suffixes` with which `path` ends. `path` must be longer than
 * the word. */
static size_t suffix_of(const char *suffixes, const char *path)
{
    size_t len = strlen(path), longest = 0;
    for (const char *at = suffixes; *at != '\0';) {
        size_t word = strcspn(at, " ");
        if (word < len && word > longest && memcmp(path + len - word, at, word) == 0)
            longest = word;
        at += word + (at[word] == ' ');
    }
    return longest;
}

const struct format *format_for_file(const char *path)
{
    const struct format *best = NULL;
    size_t longest = 0;
    for (const struct format *const *f = format_all; *f; f++) {
        size_t suffix = (*f)->writer ? suffix_of((*f)->suffixes, path) : 0;
        if (suffix > longest) {
            best = *f;
            longest = suffix;
        }
    }
    return best;
}

const struct format *format_probe(const unsigned char *bytes, size_t len)
{
    const struct format *best = NULL;
    int best_fit = 0;
    for (const struct format *const *f = format_all; *f; f++) {
        int fit = (*f)->reader ? (*f)->reader->probe(bytes, len) : 0;
        if (fit > best_fit) {
            best = *f;
            best_fit = fit;
        }
    }
    return best;
}
