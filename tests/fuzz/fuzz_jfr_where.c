/*
 * fuzz_jfr_where.c - conditions on fields, by themselves and against texts.
 *
 * The first line is the condition, the rest a text. SPDX-License-Identifier: Apache-2.0
 */
#include "command/condition.h"
#include "jfrtool/jfr_where.h"
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

static void check(const char *condition, const char *text)
{
    struct jfr_where_set set = {.count = 0};
    char path[64], words[JFR_WHERE_WORDS];
    const char *second = condition_second(condition);
    if (second && (second < condition || second > condition + strlen(condition)))
        abort();
    while (set.count < JFR_WHERE_MAX)
        set.of[set.count++] = condition;
    jfr_where_words(&set, words);
    if (strlen(words) >= sizeof(words))
        abort();
    if (!jfr_where_is(condition))
        return;
    if (jfr_where_path(condition, path, sizeof(path)) &&
        strncmp(path, condition, strlen(path)) != 0)
        abort();
    if (jfr_where_is_equality(condition)) {
        (void)jfr_where_holds_for(condition, text);
        (void)jfr_where_holds_for(condition, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const uint8_t *end = memchr(bytes, '\n', len);
    size_t first = end ? (size_t)(end - bytes) : len, from = first + (end != NULL);
    char *condition = strndup((const char *)bytes, first);
    char *text = strndup((const char *)bytes + from, len - from);
    if (condition && text)
        check(condition, text);
    free(condition);
    free(text);
    return 0;
}
