/*
 * class_heat.h - whether the methods of a class run, read from the VM's own data.
 *
 * This needs neither a sample nor a stop of the program. The interpreter gives a method counters
 * when the method is first called, and the compilers give it code when it is called often. So a
 * caller that must choose among thousands of classes learns from a few words of each class which
 * classes matter. The caller may restrict the question to methods with certain instructions. A
 * class that is redefined meanwhile may be judged by its old methods, which does no harm.
 * Source: HotSpot method.hpp, constantPool.hpp, bytecodes.hpp, JDK 8 to 11.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "safe/hs_layout.h"
#include "safe/mem.h"

enum class_heat {
    CLASS_HEAT_IDLE, /* no method has run */
    CLASS_HEAT_RUN,
    CLASS_HEAT_COMPILED,
    CLASS_HEAT_OPTIMIZED, /* compiled by the last of the compilers */
};

/** The methods that the caller means: each method with one of the instructions; and all methods of
 * a class whose constant pool has one of the texts. */
struct class_heat_code {
    const uint8_t *instructions;
    uint32_t instruction_count;
    const char *const *texts;
    uint32_t text_count;
};

struct class_heat_result {
    enum class_heat heat; /* heat of the hottest method that the caller means */
    uint32_t meant;       /* how many methods the caller means */
};

/** Whether the layout has every field that is needed. Context: any. */
bool class_heat_can(const struct hs_layout *l);
/** The Klass of a JNI reference to a class. The reference must not be tagged (so only to JDK 20).
 * 0: the reference cannot be read. Context: java. */
uint64_t class_heat_klass(struct mem_view *v, const struct hs_layout *l, uint64_t reference);
/**
 * Judge a class that cannot be unloaded meanwhile. If `code` is NULL, all methods are meant.
 * Errors:  0; -EFAULT: the memory does not read as a class.
 * Context: any.
 */
int class_heat_read(struct mem_view *v, const struct hs_layout *l, uint64_t klass,
                    const struct class_heat_code *code, struct class_heat_result *ret);
