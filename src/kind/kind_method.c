/*
 * kind_method.c - single calls of methods (method=). The trace is that of the caller, the text is
 * the method, and the class is that of the exception by which the call ended.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.MethodTrace",
     .stack = "stackTrace",
     .klass = "thrownClass",
     .text = "method",
     .values = {"duration", NULL, "offCarrier"},
     .units = {KIND_JFR_NS, KIND_JFR_AS_IS, KIND_JFR_NS}},
    {0},
};

const struct kind kind_method = {
    .id = KIND_METHOD,
    .name = "METHOD",
    .word = "method",
    .title = "calls of methods",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "method_time"},
            {"CALLS", "calls", KIND_UNIT_COUNT, .sample_type = "method_calls"},
            {"OFF_CARRIER", "time off the carrier", KIND_UNIT_NS,
             .sample_type = "method_off_carrier"},
        },
    .series = {{"method", KIND_METHOD, 0, 18}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_CALLS,
    .inside = KIND_INSIDE_SPAN,
};
