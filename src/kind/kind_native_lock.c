/*
 * kind_native_lock.c - waits for locks of native code: mutexes, locks for readers and writers,
 * conditions, semaphores; the text says which of these (event=nativelock).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "hprof.NativeLockWait",
     .stack = "stackTrace",
     .text = "lock",
     .values = {"duration"},
     .units = {KIND_JFR_NS}},
    /* async-profiler's */
    {.event = "profiler.NativeLock",
     .stack = "stackTrace",
     .values = {"duration"},
     .units = {KIND_JFR_NS}},
    {0},
};

const struct kind kind_native_lock = {
    .id = KIND_NATIVE_LOCK,
    .name = "NATIVE_LOCK",
    .word = "nativelock",
    .title = "waits for native locks",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "native_lock_time"},
            {"WAITS", "waits", KIND_UNIT_COUNT, .sample_type = "native_lock_waits"},
        },
    .series = {{"nativelock", KIND_NATIVE_LOCK, 0, 19}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_BLOCKED,
};
