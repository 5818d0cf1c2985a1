/*
 * class_heat.h - whether the methods of a class run, as the VM's own data say: without a sample,
 * and without a stop.
 *
 * The interpreter gives a method counters when it is first called, the compilers give it code when
 * it is called often: so who must choose among thousands of classes learns from a few words of each
 * which of them matter. Which instructions a method has can be asked as well. A class that is
 * redefined meanwhile may be judged by what it was; nothing worse comes of it.
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
    CLASS_HEAT_OPTIMIZED, /* by the last of the compilers */
};

/** What methods are meant: those with one of the instructions; all of a class whose constant pool
 * has one of the texts. */
struct class_heat_code {
    const uint8_t *instructions;
    uint32_t instruction_count;
    const char *const *texts;
    uint32_t text_count;
};

struct class_heat_result {
    enum class_heat heat; /* of the hottest method that is meant */
    uint32_t meant;       /* methods */
};

/** Whether the layout has all that is needed. Context: any. */
bool class_heat_can(const struct hs_layout *l);
/** The class of a JNI reference that is not tagged (to JDK 20); 0: it cannot be read. Context:
 * java. */
uint64_t class_heat_klass(struct mem_view *v, const struct hs_layout *l, uint64_t reference);
/**
 * Judge a class that cannot be unloaded meanwhile. `code` NULL: all methods are meant.
 * Errors: 0, -EFAULT: it does not read as a class. Context: any.
 */
int class_heat_read(struct mem_view *v, const struct hs_layout *l, uint64_t klass,
                    const struct class_heat_code *code, struct class_heat_result *ret);
