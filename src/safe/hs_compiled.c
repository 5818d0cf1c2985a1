/*
 * hs_compiled.c - see hs_compiled.h, and hs_frame.h for what is read and why reading it is safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_compiled.h"
#include "safe/hs_calls.h"
#include "safe/hs_names.h"
#include "safe/hs_step.h"

/* C1 pushes the arguments of some stubs and pops them after the call. The return address of such a
 * call has no debug data of its own. Source: c1_LIRAssembler_x86.cpp, c1_LIRAssembler_aarch64.cpp
 * (slow_subtype_check; on aarch64 the pop is ldp or ldr with [sp],#16). */
static uint64_t skip_pops(const struct hs_cursor *c, uint64_t pc, uint64_t sp)
{
    union {
        uint64_t word;
        unsigned char b[8];
    } code;
    if (c->layout->cpu == HS_CPU_AARCH64) {
        uint32_t insn = mem_view_u4(c->view, pc);
        bool is_pop = (insn & 0xffff83e0u) == 0xa8c103e0u || (insn & 0xffffffe0u) == 0xf84107e0u;
        return is_pop ? sp + 16 : sp;
    }
    code.word = mem_view_u8(c->view, pc);
    for (unsigned i = 0; i < 7;) {
        if ((code.b[i] & 0xf8) == 0x58)
            i += 1;
        else if (code.b[i] == 0x41 && (code.b[i + 1] & 0xf8) == 0x58)
            i += 2;
        else
            break;
        sp += 8;
    }
    return sp;
}

static enum walk_kind kind_of_level(uint8_t level)
{
    return level == 4 ? WALK_KIND_C2 : level > 0 ? WALK_KIND_C1 : WALK_KIND_JAVA;
}

/* Append the levels that an entry of hs_calls.h has. */
static inline void add_known(struct hs_cursor *c, const struct hs_call *call)
{
    uint8_t level = call->level;
    for (int i = 0; i < call->count; i++) {
        enum walk_kind kind = i + 1 < call->count ? WALK_KIND_INLINED : kind_of_level(level);
        uint32_t name = c->names ? call->name[i] : 0;
        hs_cursor_add_named(c, call->method[i], name, call->bci[i], kind, level);
    }
}

/* Collect one level for hs_calls.h. A place with more levels than an entry holds is not kept. */
static void collect(struct hs_call *call, int i, uint64_t method, int32_t bci)
{
    call->count = (uint8_t)(i < HS_CALLS_LEVELS ? i + 1 : HS_CALLS_LEVELS + 1);
    if (i >= HS_CALLS_LEVELS)
        return;
    call->method[i] = method;
    call->bci[i] = bci;
    call->name[i] = 0;
}

/* Append the levels of inlining at `pc`, and collect them. */
static int add_scopes(struct hs_cursor *c, const struct hs_blob *blob, const struct hs_nmethod *nm,
                      uint64_t pc, struct hs_call *call)
{
    const struct hs_layout *l = c->layout;
    struct hs_scope scope;
    bool exact = false, has_sender = true;
    call->count = 0;
    if (!hs_code_scope(c->view, l, blob, nm, pc, &scope, &exact))
        return 0;
    for (int i = 0; has_sender && i < HS_STEP_LEVELS_MAX; i++) {
        uint64_t method = scope.method;
        int32_t bci = scope.bci;
        has_sender = hs_code_scope_sender(c->view, l, nm, &scope);
        hs_cursor_add(c, method, bci, has_sender ? WALK_KIND_INLINED : kind_of_level(nm->level),
                      nm->level);
        collect(call, i, method, bci);
    }
    call->exact = (uint8_t)exact;
    return 1;
}

/* See hs_compiled_add(). *call is what was found; for a native method *call stays unchanged. */
static int add_compiled(struct hs_cursor *c, const struct hs_blob *blob, uint64_t pc,
                        bool is_return, struct hs_call *call)
{
    struct hs_nmethod nm;
    hs_code_nmethod(c->view, c->layout, blob, &nm);
    if (nm.method == 0)
        return 0;
    if (blob->kind == HS_BLOB_NATIVE) {
        hs_cursor_add(c, nm.method, -3, WALK_KIND_NATIVE, 0);
        return 1;
    }
    call->level = nm.level;
    /* A descriptor stands at the end of its region: an interrupted instruction belongs to the next
     * descriptor. */
    if (add_scopes(c, blob, &nm, is_return ? pc : pc + 1, call))
        return 1;
    if (!is_return && add_scopes(c, blob, &nm, pc, call))
        return 1;
    hs_cursor_add(c, nm.method, -1, kind_of_level(nm.level), nm.level);
    collect(call, 0, nm.method, -1);
    return 1;
}

int hs_compiled_add(struct hs_cursor *c, const struct hs_blob *blob, uint64_t pc, bool is_return)
{
    struct hs_call call;
    return add_compiled(c, blob, pc, is_return, &call);
}

int hs_compiled_add_top(struct hs_cursor *c, uint64_t pc)
{
    struct hs_blob blob;
    struct hs_call *call = c->top.call;
    if (call && call->pc == pc) {
        add_known(c, call);
        return 1;
    }
    if (!hs_cursor_top(c, pc, &blob))
        return 0;
    if (!call)
        return hs_compiled_add(c, &blob, pc, false);
    *call = (struct hs_call){.blob = blob.start, .frame_size = blob.frame_size};
    if (!add_compiled(c, &blob, pc, false, call))
        return 0;
    call->pc = call->count > 0 && call->count <= HS_CALLS_LEVELS ? pc : 0;
    return 1;
}

/* The methods of an nmethod live as long as the nmethod: while the entry is valid, the names need
 * no second check. */
static void name_levels(struct hs_cursor *c, struct hs_call *call)
{
    call->generation = c->names ? c->names->generation : 0;
    for (int i = 0; i < call->count && i < HS_CALLS_LEVELS; i++)
        call->name[i] = c->names ? hs_names_find(c->names, c->view, call->method[i]) : 0;
}

void hs_compiled_keep_top(struct hs_cursor *c)
{
    name_levels(c, c->top.call);
    hs_calls_add_top(c->calls, c->view, c->layout, c->top.call);
}

enum hs_step hs_compiled_step(struct hs_cursor *c, const struct hs_blob *blob)
{
    const struct hs_layout *l = c->layout;
    struct hs_nmethod nm;
    struct hs_call call = {.pc = c->pc, .blob = blob->start, .frame_size = blob->frame_size};
    hs_code_nmethod(c->view, l, blob, &nm);
    if (nm.method == 0)
        return HS_STEP_FAIL;
    uint64_t pc = c->pc;
    int32_t orig_pc =
        hs_code_is_deopt(c->view, l, blob, pc) ? hs_code_orig_pc(c->view, l, blob) : 0;
    if (orig_pc > 0) {
        pc = hs_cursor_word(c, c->sp + (uint64_t)(uint32_t)orig_pc);
        if (pc <= blob->code || pc >= blob->end)
            return HS_STEP_FAIL;
    }
    if (!add_scopes(c, blob, &nm, pc, &call))
        hs_cursor_add(c, nm.method, -1, kind_of_level(nm.level), nm.level);
    call.level = nm.level;
    if (c->calls && call.exact && pc == c->pc) {
        name_levels(c, &call);
        hs_calls_add(c->calls, c->view, l, &call);
    }
    if (!call.exact)
        c->sp = skip_pops(c, pc, c->sp);
    return hs_step_leave_sized(c, blob->frame_size);
}

int hs_compiled_step_known(struct hs_cursor *c, enum hs_step *ret_step)
{
    struct hs_call call;
    if (!c->calls || !hs_calls_find(c->calls, c->view, c->layout, c->pc, &call) ||
        (c->names && call.generation != c->names->generation))
        return 0;
    add_known(c, &call);
    *ret_step = hs_step_leave_sized(c, call.frame_size);
    return 1;
}

static inline void put_level(struct hs_cursor *c, const struct hs_calls_look *look, int i,
                             enum walk_kind kind, bool has_names)
{
    struct hs_calls_level level = hs_calls_level(look, i);
    uint32_t at = c->count + (uint32_t)i;
    if (at < c->max)
        c->frames[at] = hs_cursor_frame(level.method, has_names ? level.name : 0, level.bci, kind,
                                        look->level, c->trust);
}

/* Write the levels of a known call site behind the frames that are already counted. Most call sites
 * have one level. */
static inline void put_levels(struct hs_cursor *c, const struct hs_calls_look *look, bool has_names)
{
    enum walk_kind kind = kind_of_level(look->level);
    if (look->count == 1) {
        put_level(c, look, 0, kind, has_names);
        return;
    }
    for (int i = 0; i < look->count; i++)
        put_level(c, look, i, i + 1 < look->count ? WALK_KIND_INLINED : kind, has_names);
}

void hs_compiled_run(struct hs_cursor *c)
{
    struct mem_view *v = c->view;
    struct hs_calls *calls = c->calls;
    uint32_t generation = c->names ? c->names->generation : 0;
    uint64_t pc = c->pc, sp = c->sp, fp_at = 0;
    while (c->count <= c->max) {
        struct hs_calls_look look;
        if (!hs_calls_look(calls, hs_calls_return(calls, pc), pc, &look) ||
            (generation != 0 && look.generation != generation))
            break;
        put_levels(c, &look, generation != 0);
        uint64_t end = sp + (uint64_t)(uint32_t)look.frame_size * 8;
        if (!hs_calls_holds(v, c->layout, &look) || !hs_step_is_size(look.frame_size) ||
            !hs_cursor_on_stack(c, end - 8))
            break;
        c->count += look.count;
        pc = mem_view_u8(v, end - 8) & c->pc_mask;
        fp_at = look.frame_size >= 2 ? end - 16 : fp_at;
        sp = end;
    }
    if (fp_at != 0)
        c->fp = mem_view_u8(v, fp_at);
    c->pc = pc;
    c->sp = sp;
}
