/*
 * hs_x86_64.h - reading the few instructions of generated code that make and remove frames.
 *
 * This is not a decoder: the functions know what HotSpot's templates and compilers emit around
 * frames, and stop at any other instruction.
 *   prologue   mov %eax,-N(%rsp) (stack bang); push %rbp; [mov %rsp,%rbp]; sub $n,%rsp
 *              or sub $n,%rsp; mov %rbp,n-16(%rsp)
 *   epilogue   [vzeroupper]; add $n,%rsp; pop %rbp (or leave); [the reserved zone's check];
 *              safepoint poll; ret
 *   exceptions the same; pop %rdx; jmp *%rN, where rdx has the address that threw
 *   stubs      push %rbp; mov %rsp,%rbp ... leave; ret, or no frame at all
 * Source: macroAssembler_x86.cpp (verified_entry, enter, leave), x86_64.ad (MachEpilogNode),
 * templateTable_x86.cpp, templateInterpreterGenerator_x86.cpp, sharedRuntime_x86_64.cpp,
 * c1_Runtime1_x86.cpp.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_top.h"

enum {
    /* enough bytes from an unverified entry to the end of the instruction that makes the frame */
    HS_X86_64_BYTES = 128,
    HS_X86_64_BEFORE = 16,
};

/** The bytes in front of pc, and the bytes from pc on; zeros follow. */
struct hs_x86_64_code {
    unsigned char before[HS_X86_64_BEFORE], b[HS_X86_64_BYTES + 16];
    unsigned len;
};

void hs_x86_64_read(const struct hs_cursor *c, uint64_t pc, uint64_t end,
                    struct hs_x86_64_code *ret_code);

enum hs_x86_64_way {
    HS_X86_64_NOWHERE, /* other instructions come first */
    HS_X86_64_RETURN,  /* pc is a return address */
    HS_X86_64_JUMP,    /* pc is the target of `jmp *%reg` */
};

/** Follow the instructions from pc until the frame is left. Returns HS_X86_64_NOWHERE if one of
 * them is not part of an epilogue. *ret_regs: the registers after the last instruction. */
enum hs_x86_64_way hs_x86_64_leave(const struct hs_cursor *c, const struct regs *r,
                                   const struct hs_x86_64_code *code, struct regs *ret_regs);

/** The length of the remaining check for the stack's reserved zone; 0: none begins at `b`. */
unsigned hs_x86_64_skip_reserved(const unsigned char *b);

/** Whether a prologue begins here, anywhere in the code (OSR entries): bang or push comes next.
 * *ret_ahead: how many bytes ahead to look for the instruction that makes the frame. */
bool hs_x86_64_is_prologue_next(const struct hs_x86_64_code *code, unsigned *ret_ahead);

/** Whether the frame is still to be made. Looks `ahead` bytes from pc for the instruction that
 * makes the frame. *ret_regs: the caller's registers. */
int hs_x86_64_enter(const struct hs_cursor *c, const struct regs *r,
                    const struct hs_x86_64_code *code, unsigned ahead, struct regs *ret_regs);

/** How many bytes the instructions at a stub's start push before pc. The function counts pushes and
 * room, and skips moves from and to the stack; it stops at the first other instruction. The pushed
 * bytes stay on the stack to the stub's end. */
uint64_t hs_x86_64_pushed(const struct hs_cursor *c, uint64_t pc, const struct hs_blob *blob);

/** The target of the direct call in front of a return address; 0 if the call is of another kind. */
uint64_t hs_x86_64_call_target(const struct hs_cursor *c, uint64_t pc);

/** Whether the call in front of this return address may be a call of C code. (If a core file lacks
 * the code, the answer is yes.) */
bool hs_x86_64_is_call_of_c(const struct hs_cursor *c, uint64_t pc);

/** Whether pc is in the call stub `mov $Method*,%rbx; jmp` behind a compiled method. A call that
 * the method makes goes there if it is not resolved to compiled code. */
bool hs_x86_64_is_call_stub(const struct hs_x86_64_code *code);

/** Add a guess if its pc may be a return address. */
static inline void hs_x86_64_add_return(const struct hs_cursor *c, struct hs_starts *s,
                                        struct hs_start start)
{
    if (hs_cursor_is_return(c, start.pc) != HS_RETURN_NO)
        hs_top_add(s, start);
}
