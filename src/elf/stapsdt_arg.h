/*
 * stapsdt_arg.h - the descriptors of a probe's arguments: how wide an argument is, and in which
 * register or memory it lies when the thread reaches the probe.
 *
 * A descriptor is SIZE@PLACE in the assembler's spelling, for example "8@%rdx", "-4@-48(%rbp)",
 * "1@$0"; on aarch64 "8@x0", "8@[sp, 16]". A size below 0 is that of a signed number, an f behind
 * it that of a floating point number. Registers have the numbers of asm/perf_regs.h of their CPU.
 * Source: SystemTap's wiki page UserSpaceProbeImplementation; perf's arch/x86/util/perf_regs.c,
 * arch/arm64/util/perf_regs.c.
 * Context of everything here: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stapsdt_place { STAPSDT_VALUE, STAPSDT_REGISTER, STAPSDT_MEMORY };

enum { STAPSDT_NO_REGISTER = -1 };

struct stapsdt_arg {
    enum stapsdt_place place;
    uint8_t bytes; /* 1, 2, 4 or 8 */
    bool is_signed, is_float;
    int8_t base, index; /* registers, or STAPSDT_NO_REGISTER */
    uint8_t shift;  /* STAPSDT_REGISTER: bits below the argument; STAPSDT_MEMORY: of the index */
    int64_t offset; /* STAPSDT_MEMORY: added to the base; STAPSDT_VALUE: the argument */
};

/** Registers of a thread at a probe. */
struct stapsdt_regs {
    uint64_t mask; /* bit N: register N is known */
    const uint64_t *of;
};

/**
 * Read the next descriptor and move *at behind it. `machine` is e_machine of ELF.
 * Errors: 1; 0: no more; E_SYNTAX: a place that is not understood, *at is behind it.
 */
int stapsdt_arg_next(const char **at, unsigned machine, struct stapsdt_arg *ret);

/** The address of an argument in memory. False: a register is not known. */
bool stapsdt_arg_address(const struct stapsdt_arg *arg, const struct stapsdt_regs *regs,
                         uint64_t *ret_address);
/** The value of an argument that is not in memory, from raw bytes otherwise; widened to 64 bits by
 * its sign. False: a register is not known. */
bool stapsdt_arg_value(const struct stapsdt_arg *arg, const struct stapsdt_regs *regs,
                       uint64_t *ret_value);
/** Widen the raw bytes of an argument. */
uint64_t stapsdt_arg_widen(const struct stapsdt_arg *arg, uint64_t raw);
/** The registers that the argument needs, as bits. */
uint64_t stapsdt_arg_needs(const struct stapsdt_arg *arg);
