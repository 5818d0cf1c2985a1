/*
 * java_question.h - commands of Java that run nothing, and only answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <string.h>

/** Whether a command whose last word this is only tells its version. Context: any. */
static inline bool java_question_is(const char *last_word)
{
    return strcmp(last_word, "-version") == 0 || strcmp(last_word, "--version") == 0;
}
