/*
 * kind_class_load.c - classes that were loaded, and classes that were unloaded; the text names the
 * class loader.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.ClassLoad",
     .stack = "stackTrace",
     .klass = "loadedClass",
     .text = "definingClassLoader",
     .values = {"duration", NULL, "classFileSize"},
     .units = {KIND_JFR_NS}},
    {.event = "jdk.ClassDefine",
     .rival = "jdk.ClassLoad",
     .stack = "stackTrace",
     .klass = "definedClass",
     .text = "definingClassLoader",
     .values = {"duration", NULL, "classFileSize"},
     .units = {KIND_JFR_NS}},
    {.event = "jdk.ClassUnload",
     .stack = "stackTrace",
     .klass = "unloadedClass",
     .text = "definingClassLoader",
     .skipped = 3},
    {0},
};

const struct kind kind_class_load = {
    .id = KIND_CLASS_LOAD,
    .name = "CLASS_LOAD",
    .word = "classload",
    .title = "classes loaded and unloaded",
    .values =
        {
            {"TIME", "loading", KIND_UNIT_NS, .sample_type = "class_load_time"},
            {"LOADED", "loaded", KIND_UNIT_COUNT, .sample_type = "classes_loaded"},
            {"BYTES", "bytes", KIND_UNIT_BYTES, .sample_type = "class_bytes"},
            {"UNLOADED", "unloaded", KIND_UNIT_COUNT, .sample_type = "classes_unloaded"},
        },
    .series = {{"classload", KIND_CLASS_LOAD, 1, 15}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_CLASS,
    .inside = KIND_INSIDE_SPAN,
};
