/*
 * kind_exception.c - exceptions: objects of Throwable or a subclass, with the stack that made or
 * threw them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.JavaExceptionThrow",
     .stack = "stackTrace",
     .klass = "thrownClass",
     .has_errors = true},
    {.event = "jdk.JavaErrorThrow",
     .rival = "jdk.JavaExceptionThrow",
     .stack = "stackTrace",
     .klass = "thrownClass"},
    {0},
};

const struct kind kind_exception = {
    .id = KIND_EXCEPTION,
    .name = "EXCEPTION",
    .word = "exception",
    .title = "exceptions",
    .values =
        {
            {"EXCEPTIONS", "exceptions", KIND_UNIT_COUNT, .sample_type = "exceptions"},
        },
    .series = {{"exception", KIND_EXCEPTION, 0, 13}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_THROW,
    .passed = "jfr_passed_errors",
    .inside = KIND_INSIDE_SUM,
};
