/*
 * class_heat.c - see class_heat.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/class_heat.h"
#include <errno.h>
#include <string.h>
#include "classfile/opcode.h"
#include "safe/hs_method.h"
#include "safe/release.h"

enum {
    METHODS_MAX = 65535,
    LAST_TIER = 4,
    TAG_UTF8 = 1,
    WORDS_AT = 8, /* offset of the first element in an Array<Method*>, behind the length */
    BYTES_AT = 4, /* offset of the first element in an Array<u1> */
    WORD_SHIFT = 3,
    TEXT_MAX = 128,
};

bool class_heat_can(const struct hs_layout *l)
{
    return l->method_code >= 0 && l->method_counters >= 0 && l->nmethod_comp_level >= 0 &&
           l->klass_methods >= 0 && l->klass_mirror >= 0 && l->mirror_klass_at != 0 &&
           l->klass_constants >= 0 && l->pool_tags >= 0 && l->pool_length >= 0 &&
           l->version < RELEASE_TAGGED_HANDLES;
}

uint64_t class_heat_klass(struct mem_view *v, const struct hs_layout *l, uint64_t reference)
{
    uint32_t faults = v->faults;
    int32_t klass_at = mem_view_s4(v, l->mirror_klass_at);
    uint64_t mirror = mem_view_u8(v, reference), klass, back;
    if (v->faults != faults || klass_at <= 0)
        return 0;
    klass = mem_view_u8(v, mirror + (uint64_t)klass_at);
    if (v->faults != faults || klass == 0)
        return 0;
    /* A collection may move the mirror while it is read: then the class has another mirror. */
    back = mem_view_u8(v, klass + (uint64_t)l->klass_mirror);
    if (l->version >= RELEASE_MIRROR_HANDLES)
        back = mem_view_u8(v, back);
    return v->faults == faults && back == mirror ? klass : 0;
}

/* ---- which instructions a method has */

/* The VM replaces some instructions by instructions of its own. Those from OWN_FIRST to
 * OWN_FIELDS_END stand for accesses to fields; own_lengths has the lengths of those behind them.
 * Source: HotSpot bytecodes.hpp, JDK 8u112 to 11. */
enum { OWN_FIRST = 203, OWN_FIELDS_END = 220, OWN_SWITCH = 228, OWN_SWITCH_END = 230 };
static const uint8_t own_lengths[] = {1, 4, 4, 4, 2, 4, 3, 3, 0, 0, 2, 3, 1, 3};

static uint32_t length_at(const uint8_t *code, uint32_t len, uint32_t pc)
{
    enum { WIDE_LENGTH = 4, WIDE_IINC_LENGTH = 6, FIELD_LENGTH = 3, SWITCH_WORDS = 4 };
    uint8_t op = code[pc];
    uint32_t aligned = (pc + 4) & ~(uint32_t)3, low, high;
    enum opcode_kind kind = opcode_kind_of(op);
    if (op >= OWN_FIRST && op < OWN_FIELDS_END)
        return FIELD_LENGTH;
    if (op >= OWN_FIELDS_END && op < OWN_FIELDS_END + sizeof(own_lengths) &&
        own_lengths[op - OWN_FIELDS_END])
        return own_lengths[op - OWN_FIELDS_END];
    if (op >= OWN_SWITCH && op < OWN_SWITCH_END)
        kind = OPCODE_LOOKUP;
    if (kind == OPCODE_WIDE)
        return pc + 1 < len && code[pc + 1] == OP_IINC ? WIDE_IINC_LENGTH : WIDE_LENGTH;
    if (kind != OPCODE_TABLE && kind != OPCODE_LOOKUP)
        return opcode_length_of(op);
    if (aligned + 3 * SWITCH_WORDS > len)
        return 0;
    memcpy(&low, code + aligned + SWITCH_WORDS, sizeof(low));
    low = __builtin_bswap32(low);
    memcpy(&high, code + aligned + 2 * (size_t)SWITCH_WORDS, sizeof(high));
    high = __builtin_bswap32(high);
    if (kind == OPCODE_LOOKUP)
        return low < len ? aligned - pc + 2 * SWITCH_WORDS + 2 * SWITCH_WORDS * low : 0;
    return high - low < len ? aligned - pc + 3 * SWITCH_WORDS + SWITCH_WORDS * (high - low + 1) : 0;
}

/* Whether the code has one of the instructions. If the code cannot be divided into instructions,
 * each byte counts as one. */
static bool has_instruction(const uint8_t *code, uint32_t len, const struct class_heat_code *meant)
{
    uint32_t pc = 0, length;
    bool has = false;
    for (; pc < len; pc += length) {
        length = length_at(code, len, pc);
        if (length == 0)
            break;
        has |= memchr(meant->instructions, code[pc], meant->instruction_count) != NULL;
    }
    if (pc == len)
        return has;
    for (pc = 0; pc < len; pc++)
        if (memchr(meant->instructions, code[pc], meant->instruction_count))
            return true;
    return false;
}

static bool method_is_meant(struct mem_view *v, const struct hs_method *m,
                            const struct class_heat_code *meant)
{
    enum { SMALL = 4096 };
    uint8_t code[SMALL];
    if (m->is_native || m->code_size > SMALL)
        return !m->is_native;
    return mem_read(v->mem, m->code, code, m->code_size) == 0 &&
           has_instruction(code, m->code_size, meant);
}

static bool is_text(struct mem_view *v, const struct hs_layout *l, uint64_t symbol,
                    const struct class_heat_code *meant)
{
    char text[TEXT_MAX];
    uint32_t length = mem_view_u2(v, symbol + (uint64_t)l->symbol_length);
    bool has_length = false;
    for (uint32_t i = 0; i < meant->text_count; i++)
        has_length |= strlen(meant->texts[i]) == length;
    if (!has_length || length > TEXT_MAX ||
        mem_read(v->mem, symbol + (uint64_t)l->symbol_body, text, length) != 0)
        return false;
    for (uint32_t i = 0; i < meant->text_count; i++)
        if (strlen(meant->texts[i]) == length && memcmp(meant->texts[i], text, length) == 0)
            return true;
    return false;
}

static bool has_text(struct mem_view *v, const struct hs_layout *l, uint64_t klass,
                     const struct class_heat_code *meant)
{
    uint64_t pool = mem_view_u8(v, klass + (uint64_t)l->klass_constants);
    uint64_t tags = mem_view_u8(v, pool + (uint64_t)l->pool_tags);
    uint32_t length = mem_view_u4(v, pool + (uint64_t)l->pool_length), faults = v->faults;
    for (uint32_t i = 1; i < length && i <= METHODS_MAX && v->faults == faults; i++)
        if (mem_view_u1(v, tags + BYTES_AT + i) == TAG_UTF8 &&
            is_text(v, l,
                    mem_view_u8(v, pool + (uint64_t)l->pool_size + ((uint64_t)i << WORD_SHIFT)),
                    meant))
            return true;
    return false;
}

/* ---- whether a method runs */

static enum class_heat heat_of(struct mem_view *v, const struct hs_layout *l, uint64_t method)
{
    uint64_t code = mem_view_u8(v, method + (uint64_t)l->method_code);
    if (code)
        return mem_view_s4(v, code + (uint64_t)l->nmethod_comp_level) == LAST_TIER
                   ? CLASS_HEAT_OPTIMIZED
                   : CLASS_HEAT_COMPILED;
    return mem_view_u8(v, method + (uint64_t)l->method_counters) ? CLASS_HEAT_RUN : CLASS_HEAT_IDLE;
}

int class_heat_read(struct mem_view *v, const struct hs_layout *l, uint64_t klass,
                    const struct class_heat_code *code, struct class_heat_result *ret)
{
    uint32_t faults = v->faults;
    uint64_t methods = mem_view_u8(v, klass + (uint64_t)l->klass_methods);
    uint32_t count = mem_view_u4(v, methods);
    struct class_heat_result result = {CLASS_HEAT_IDLE, 0};
    if (v->faults != faults || count > METHODS_MAX)
        return -EFAULT;
    if (code && has_text(v, l, klass, code))
        code = NULL;
    for (uint32_t i = 0; i < count && v->faults == faults; i++) {
        uint64_t method = mem_view_u8(v, methods + WORDS_AT + ((uint64_t)i << WORD_SHIFT));
        enum class_heat heat = heat_of(v, l, method);
        struct hs_method m;
        if (!hs_method_read(v, l, method, &m) || (code && !method_is_meant(v, &m, code)))
            continue;
        result.meant++;
        if (heat > result.heat)
            result.heat = heat;
    }
    if (v->faults != faults)
        return -EFAULT;
    *ret = result;
    return 0;
}
