/*
 * java_question.h - commands of java that run no program and only print an answer.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <string.h>

/** Whether a java command only prints its version, judged by its last word. Context: any. */
static inline bool java_question_is(const char *last_word)
{
    return strcmp(last_word, "-version") == 0 || strcmp(last_word, "--version") == 0;
}
