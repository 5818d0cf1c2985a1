/*
 * kind_deopt.c - uncommon traps of compiled code, and compiled code that was given up
 * (event=deopt). The text names the reason of a trap.
 *
 * Recordings of the JDK have no events of code that is given up.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    /* No event has the second field: a trap gives up no code by itself. */
    {.event = "jdk.Deoptimization",
     .stack = "method",
     .text = "reason",
     .values = {NULL, "givenUp"}},
    {.event = "hprof.CodeGivenUp", .stack = "method", .text = "reason", .values = {"traps", NULL}},
    {0},
};

const struct kind kind_deopt = {
    .id = KIND_DEOPT,
    .name = "DEOPT",
    .word = "deopt",
    .title = "deoptimisations by reason",
    .values =
        {
            {"TRAPS", "traps", KIND_UNIT_COUNT, .sample_type = "uncommon_traps"},
            {"GIVEN_UP", "code given up", KIND_UNIT_COUNT, .sample_type = "code_given_up"},
        },
    .series = {{"deopt", KIND_DEOPT, 0, 26}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_DEOPTIMIZATION,
};
