/*
 * fuzz_secret.c - arguments and patterns as somebody else gives them: the room that was promised is
 * enough, and what is told has no more words than there were. The first line is the patterns.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include "base/secret.h"
#include <stdlib.h>
#include <string.h>

/* `words` in a block of their own, so that a byte beyond is seen. */
static void check(const struct secret *s, const char *words, size_t len)
{
    size_t room = secret_room(words, len);
    char *told = malloc(room);
    if (!told)
        return;
    size_t n = secret_join(s, words, len, told);
    if (n >= room || strlen(told) != n)
        abort();
    free(told);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const uint8_t *end = memchr(bytes, '\n', len);
    size_t first = end ? (size_t)(end - bytes) : 0;
    char *patterns = strndup((const char *)bytes, first);
    size_t rest = len - first - (end != NULL);
    char *words = malloc(rest + 1);
    if (patterns && words) {
        const struct secret s = {.keys = patterns, .arguments = patterns};
        memcpy(words, bytes + len - rest, rest);
        words[rest] = '\0';
        (void)secret_has_key(&s, words);
        check(&s, words, rest + 1);
        size_t n = secret_split(words);
        if (n > rest + 1)
            abort();
        check(&s, words, n);
    }
    free(patterns);
    free(words);
    return 0;
}
