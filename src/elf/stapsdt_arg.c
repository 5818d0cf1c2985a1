/*
 * stapsdt_arg.c - see stapsdt_arg.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/stapsdt_arg.h"
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

enum {
    NAME_MOST = 8,
    HIGH_SHIFT = 8, /* of %ah, %bh, %ch, %dh */
    X86_R8 = 16,
    ARM_SP = 31,
};

/* The names of registers of x86-64 by their numbers in asm/perf_regs.h: of 8, 4, 2 and 1 bytes, and
 * of the second byte. */
static const char *const x86_names[][5] = {
    {"rax", "eax", "ax", "al", "ah"}, {"rbx", "ebx", "bx", "bl", "bh"},
    {"rcx", "ecx", "cx", "cl", "ch"}, {"rdx", "edx", "dx", "dl", "dh"},
    {"rsi", "esi", "si", "sil", ""},  {"rdi", "edi", "di", "dil", ""},
    {"rbp", "ebp", "bp", "bpl", ""},  {"rsp", "esp", "sp", "spl", ""},
};

/* The register of this name; *ret_shift: bits below its part of the register. */
static int x86_register(const char *name, uint8_t *ret_shift)
{
    char *end;
    *ret_shift = 0;
    for (int i = 0; i < (int)(sizeof(x86_names) / sizeof(x86_names[0])); i++)
        for (int width = 0; width < 5; width++)
            if (name[0] && strcmp(x86_names[i][width], name) == 0) {
                *ret_shift = width == 4 ? HIGH_SHIFT : 0;
                return i;
            }
    if (name[0] != 'r' || !isdigit((unsigned char)name[1]))
        return STAPSDT_NO_REGISTER;
    long number = strtol(name + 1, &end, 10);
    bool is_part = *end && strchr("dwb", *end) && !end[1];
    return number >= 8 && number <= 15 && (!*end || is_part) ? X86_R8 + (int)number - 8
                                                             : STAPSDT_NO_REGISTER;
}

static int arm_register(const char *name, uint8_t *ret_shift)
{
    char *end;
    *ret_shift = 0;
    if (strcmp(name, "sp") == 0)
        return ARM_SP;
    if ((name[0] != 'x' && name[0] != 'w') || !isdigit((unsigned char)name[1]))
        return STAPSDT_NO_REGISTER;
    long number = strtol(name + 1, &end, 10);
    return number <= 30 && !*end ? (int)number : STAPSDT_NO_REGISTER;
}

/* Take the name of a register at *at; a % in front of it is passed. */
static int take_register(const char **at, unsigned machine, uint8_t *ret_shift)
{
    char name[NAME_MOST];
    size_t len = 0;
    *at += **at == '%';
    while (len + 1 < sizeof(name) && isalnum((unsigned char)(*at)[len]))
        len++;
    memcpy(name, *at, len);
    name[len] = '\0';
    *at += len;
    return machine == EM_X86_64 ? x86_register(name, ret_shift) : arm_register(name, ret_shift);
}

static bool take_number(const char **at, int64_t *ret)
{
    char *end;
    if (!isdigit((unsigned char)**at) && **at != '-' && **at != '+')
        return false;
    errno = 0;
    /* a constant of 64 bits may be written without its sign */
    *ret = **at == '-' ? strtoll(*at, &end, 0) : (int64_t)strtoull(*at, &end, 0);
    if (end == *at || errno)
        return false;
    *at = end;
    return true;
}

/* OFFSET(BASE,INDEX,SCALE); every part but the parentheses may be missing. */
static bool take_x86_memory(const char **at, struct stapsdt_arg *ret)
{
    int64_t scale = 1;
    uint8_t unused;
    ret->place = STAPSDT_MEMORY;
    take_number(at, &ret->offset);
    if (*(*at)++ != '(')
        return false;
    if (**at == '%')
        ret->base = (int8_t)take_register(at, EM_X86_64, &unused);
    if (**at == ',') {
        (*at)++;
        ret->index = (int8_t)take_register(at, EM_X86_64, &unused);
        if (ret->index == STAPSDT_NO_REGISTER)
            return false;
        if (**at == ',' && (++*at, !take_number(at, &scale)))
            return false;
    }
    while (scale > 1 && scale % 2 == 0) {
        scale /= 2;
        ret->shift++;
    }
    return *(*at)++ == ')' && scale == 1 && ret->shift <= 3 &&
           (ret->base != STAPSDT_NO_REGISTER || ret->index != STAPSDT_NO_REGISTER);
}

static bool take_x86(const char **at, struct stapsdt_arg *ret)
{
    if (**at == '$') {
        (*at)++;
        ret->place = STAPSDT_VALUE;
        return take_number(at, &ret->offset);
    }
    if (**at != '%')
        return take_x86_memory(at, ret);
    ret->place = STAPSDT_REGISTER;
    ret->base = (int8_t)take_register(at, EM_X86_64, &ret->shift);
    return ret->base != STAPSDT_NO_REGISTER;
}

static void skip_blanks(const char **at)
{
    while (**at == ' ')
        (*at)++;
}

/* NUMBER, REGISTER, [REGISTER] or [REGISTER, NUMBER]. */
static bool take_arm(const char **at, struct stapsdt_arg *ret)
{
    bool is_memory = **at == '[';
    if (!is_memory && take_number(at, &ret->offset)) {
        ret->place = STAPSDT_VALUE;
        return true;
    }
    *at += is_memory;
    ret->place = is_memory ? STAPSDT_MEMORY : STAPSDT_REGISTER;
    ret->base = (int8_t)take_register(at, EM_AARCH64, &ret->shift);
    if (ret->base == STAPSDT_NO_REGISTER)
        return false;
    if (!is_memory)
        return true;
    if (**at == ',') {
        (*at)++;
        skip_blanks(at);
        *at += **at == '#';
        if (!take_number(at, &ret->offset))
            return false;
    }
    return *(*at)++ == ']';
}

/* Pass the rest of a descriptor that is not understood. A place in brackets may have blanks. */
static const char *behind(const char *at)
{
    bool is_within = false;
    for (; *at && (is_within || *at != ' '); at++)
        is_within = *at == '[' || (is_within && *at != ']');
    return at;
}

int stapsdt_arg_next(const char **at, unsigned machine, struct stapsdt_arg *ret)
{
    int64_t bytes = 0;
    skip_blanks(at);
    if (!**at)
        return 0;
    const char *end = behind(*at), *p = *at;
    *ret = (struct stapsdt_arg){.base = STAPSDT_NO_REGISTER, .index = STAPSDT_NO_REGISTER};
    *at = end;
    if (!take_number(&p, &bytes) || bytes < -8 || bytes > 8)
        return E_SYNTAX;
    ret->is_signed = bytes < 0;
    ret->bytes = (uint8_t)(bytes < 0 ? -bytes : bytes);
    ret->is_float = *p == 'f';
    p += ret->is_float;
    if (*p++ != '@' || !ret->bytes || (ret->bytes & (ret->bytes - 1)))
        return E_SYNTAX;
    bool is_known = machine == EM_X86_64    ? take_x86(&p, ret)
                    : machine == EM_AARCH64 ? take_arm(&p, ret)
                                            : false;
    return is_known && p == end ? 1 : E_SYNTAX;
}

static bool has(const struct stapsdt_regs *regs, int number)
{
    return number == STAPSDT_NO_REGISTER || (number >= 0 && regs->mask >> number & 1);
}

uint64_t stapsdt_arg_needs(const struct stapsdt_arg *arg)
{
    return (arg->base >= 0 ? UINT64_C(1) << arg->base : 0) |
           (arg->index >= 0 ? UINT64_C(1) << arg->index : 0);
}

bool stapsdt_arg_address(const struct stapsdt_arg *arg, const struct stapsdt_regs *regs,
                         uint64_t *ret_address)
{
    if (arg->place != STAPSDT_MEMORY || !has(regs, arg->base) || !has(regs, arg->index))
        return false;
    *ret_address = (uint64_t)arg->offset + (arg->base >= 0 ? regs->of[arg->base] : 0) +
                   (arg->index >= 0 ? regs->of[arg->index] << arg->shift : 0);
    return true;
}

uint64_t stapsdt_arg_widen(const struct stapsdt_arg *arg, uint64_t raw)
{
    unsigned unused = 64 - 8u * arg->bytes;
    if (unused == 0)
        return raw;
    raw <<= unused;
    return arg->is_signed ? (uint64_t)((int64_t)raw >> unused) : raw >> unused;
}

bool stapsdt_arg_value(const struct stapsdt_arg *arg, const struct stapsdt_regs *regs,
                       uint64_t *ret_value)
{
    if (arg->place == STAPSDT_MEMORY || (arg->place == STAPSDT_REGISTER && !has(regs, arg->base)))
        return false;
    *ret_value =
        stapsdt_arg_widen(arg, arg->place == STAPSDT_VALUE ? (uint64_t)arg->offset
                                                           : regs->of[arg->base] >> arg->shift);
    return true;
}
