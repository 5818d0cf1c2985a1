/*
 * kind_compile.c - methods that the VM has compiled (event=compile). The trace is the method as the
 * only frame, and the text names the compiler.
 *
 * Only recordings of the JDK tell how long a compilation took.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.Compilation",
     .stack = "method",
     .text = "compiler",
     .values = {NULL, "codeSize", "duration"},
     .units = {KIND_JFR_AS_IS, KIND_JFR_AS_IS, KIND_JFR_NS}},
    {0},
};

const struct kind kind_compile = {
    .id = KIND_COMPILE,
    .name = "COMPILE",
    .word = "compile",
    .title = "methods compiled",
    .values =
        {
            {"COMPILED", "compiled", KIND_UNIT_COUNT, .sample_type = "compilations"},
            {"CODE_BYTES", "code bytes", KIND_UNIT_BYTES, .sample_type = "compiled_bytes"},
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "compile_time"},
        },
    .series = {{"compile", KIND_COMPILE, 0, 25}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_COMPILATION,
};
