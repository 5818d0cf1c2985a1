/* fuzz_push_answer.c - what a receiver of profiles may answer. SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "push/push_answer.h"
#include "push/push_setting.h"

/* Words for a terminal: one line of plain letters. */
static void check_words(const char words[PUSH_ANSWER_WORDS])
{
    if (!memchr(words, 0, PUSH_ANSWER_WORDS))
        abort();
    for (; *words != '\0'; words++)
        if (*words < ' ' || *words > '~')
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char words[PUSH_ANSWER_WORDS];
    char *text = malloc(len + 1);
    if (!text)
        return 0;
    if (push_answer_rejected(bytes, len, words) > INT64_MAX)
        abort();
    check_words(words);
    push_answer_words(bytes, len, words);
    check_words(words);
    if (len > 0)
        memcpy(text, bytes, len);
    text[len] = '\0';
    int64_t s = push_answer_retry_after(text, 1700000000);
    if (s < -1 || s > 24 * 3600)
        abort();
    (void)push_setting_is_header(text);
    push_setting_decode(text);
    if (strlen(text) > len)
        abort();
    free(text);
    return 0;
}
