/*
 * codeplan.c - computes the new place of everything in a method's code: see codeplan.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/codeplan.h"
#include "base/err.h"

enum {
    ROUNDS_MAX = 24,     /* most times that all positions are computed */
    ROUNDS_PATIENT = 8,  /* in this round every jump is made wide, so that the rounds end */
    SHORT_REACH = 32767, /* bytes that a jump reaches forward; backward one more */
    /* greatest distance of a new island; smaller than the reach, because more may be inserted
     * later */
    ISLAND_REACH = 30000,
};

/* How many jumps the island at that place has in front of jump `i`. */
static uint32_t jumps_before(const struct codeplan *p, uint32_t place, uint32_t i)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < i; j++)
        n += p->jumps[j].place == place;
    return n;
}

static uint32_t over_bytes(const struct codeplan *p, uint32_t place)
{
    return place < p->code->len ? CODEPLAN_OVER_BYTES : 0; /* no code runs off the end */
}

static uint32_t island_bytes(const struct codeplan *p, uint32_t pc)
{
    if (!(p->code->marks[pc] & BYTECODE_ISLAND))
        return 0;
    return over_bytes(p, pc) + CODEPLAN_JUMP_BYTES * jumps_before(p, pc, p->jump_count);
}

uint32_t codeplan_begin(const struct codeplan *p, uint32_t pc)
{
    return p->at[pc];
}

uint32_t codeplan_end(const struct codeplan *p, uint32_t pc)
{
    return p->at[pc] + (pc == 0 ? p->enter_len : 0);
}

uint32_t codeplan_start(const struct codeplan *p, uint32_t pc)
{
    return codeplan_end(p, pc) + island_bytes(p, pc);
}

uint32_t codeplan_target(const struct codeplan *p, uint32_t pc)
{
    return codeplan_start(p, pc) + (p->code->marks[pc] & BYTECODE_HANDLER ? p->caught_len : 0);
}

uint32_t codeplan_instruction(const struct codeplan *p, uint32_t pc)
{
    bool is_return = pc < p->code->len && (p->code->marks[pc] & BYTECODE_BEGIN) &&
                     opcode_kind_of(p->code->code[pc]) == OPCODE_RETURN;
    bool unlocks = p->code->marks[pc] & BYTECODE_UNLOCKS;
    return codeplan_target(p, pc) + (is_return ? p->exit_len : unlocks ? p->unlock_len : 0);
}

bool codeplan_unwind_keeps(const struct codeplan *p)
{
    for (uint32_t i = 0; i < p->probe_count; i++)
        if (p->probes[i].unwind_keeps)
            return true;
    return false;
}

uint32_t codeplan_unwind(const struct codeplan *p)
{
    return p->new_len - p->unwind_len;
}

uint32_t codeplan_jump(const struct codeplan *p, uint32_t i)
{
    uint32_t place = p->jumps[i].place;
    return codeplan_end(p, place) + over_bytes(p, place) +
           CODEPLAN_JUMP_BYTES * jumps_before(p, place, i);
}

uint32_t codeplan_destination(const struct codeplan *p, const struct bytecode_event *e)
{
    if (e->island)
        return codeplan_jump(p, e->island - 1u);
    return codeplan_target(p, (uint32_t)bytecode_jump_target(p->code, e));
}

uint32_t codeplan_caught(const struct codeplan *p, uint32_t pc, uint32_t i)
{
    uint32_t at = codeplan_start(p, pc);
    for (uint32_t outer = p->probe_count - 1; outer > i; outer--)
        at += p->probes[outer].caught.len;
    return at;
}

enum codeplan_made codeplan_made_at(const struct codeplan *p, uint32_t pc)
{
    if (!(p->code->marks[pc] & BYTECODE_MAKES))
        return CODEPLAN_MADE_COUNT;
    switch (p->code->code[pc]) {
    case OP_NEWARRAY:
    case OP_ANEWARRAY:
        return CODEPLAN_MADE_ARRAY;
    case OP_MULTIANEWARRAY:
        return CODEPLAN_MADE_ARRAYS;
    default:
        return CODEPLAN_MADE_MAYBE;
    }
}

static uint32_t made_bytes(const struct codeplan *p, uint32_t pc)
{
    enum codeplan_made made = codeplan_made_at(p, pc);
    return made == CODEPLAN_MADE_COUNT ? 0 : p->made_len[made];
}

/* The length of the instruction when it stands at `position`. */
static uint32_t new_length(const struct codeplan *p, const struct bytecode_event *e,
                           uint32_t position)
{
    switch (e->kind) {
    case OPCODE_TABLE:
    case OPCODE_LOOKUP:
        return e->pc + e->len - bytecode_switch_words(e->pc) + bytecode_switch_words(position) -
               position;
    case OPCODE_GOTO:
        return e->is_wide ? CODEPLAN_JUMP_BYTES : e->len;
    case OPCODE_IF:
        return e->is_wide ? CODEPLAN_IF_BYTES : e->len;
    default:
        return e->len + made_bytes(p, e->pc);
    }
}

/* Computes all positions from the lengths that are known now. */
static void lay_out(struct codeplan *p)
{
    const struct bytecode *c = p->code;
    uint32_t pc = 0;
    uint32_t shift = 0;
    for (uint32_t i = 0; i < c->event_count; i++) {
        const struct bytecode_event *e = c->events + i;
        for (; pc <= e->pc; pc++)
            p->at[pc] = pc + shift;
        uint32_t position = codeplan_instruction(p, e->pc);
        uint32_t end = position + new_length(p, e, position);
        for (; pc < e->pc + e->len; pc++)
            p->at[pc] = position;
        shift = end - pc;
    }
    for (; pc <= c->len; pc++)
        p->at[pc] = pc + shift;
    p->new_len = codeplan_start(p, c->len) + p->unwind_len;
}

static int reaches(const struct codeplan *p, const struct bytecode_event *e)
{
    int64_t distance =
        (int64_t)codeplan_destination(p, e) - (int64_t)codeplan_instruction(p, e->pc);
    return distance <= SHORT_REACH && distance >= -SHORT_REACH - 1;
}

static bool is_near(const struct codeplan *p, const struct bytecode_event *e, uint32_t place)
{
    int64_t distance = (int64_t)p->at[place] - (int64_t)p->at[e->pc];
    return distance <= ISLAND_REACH && distance >= -ISLAND_REACH;
}

static bool is_place(const struct codeplan *p, uint32_t pc)
{
    return pc == p->code->len ||
           (pc > 0 && (p->code->marks[pc] & (BYTECODE_FRAME | BYTECODE_INSIDE)) == BYTECODE_FRAME);
}

/* The nearest place for an island that the jump reaches; the code's length + 1: there is none. */
static uint32_t find_place(const struct codeplan *p, const struct bytecode_event *e)
{
    uint32_t len = p->code->len;
    for (uint32_t d = 1; d <= len; d++) {
        uint32_t up = e->pc + d;
        uint32_t down = e->pc - d;
        if (up <= len && is_place(p, up) && is_near(p, e, up))
            return up;
        if (d <= e->pc && is_place(p, down) && is_near(p, e, down))
            return down;
    }
    return len + 1;
}

/* Sends a conditional jump through an island: an existing one for the same target, or a new one. */
static int use_island(struct codeplan *p, struct bytecode_event *e)
{
    uint32_t target = (uint32_t)bytecode_jump_target(p->code, e);
    for (uint32_t i = 0; i < p->jump_count; i++) {
        if (p->jumps[i].target == target && is_near(p, e, p->jumps[i].place)) {
            e->island = (uint16_t)(i + 1);
            return 0;
        }
    }
    uint32_t place = find_place(p, e);
    if (p->jump_count == CODEPLAN_ISLANDS_MAX || place > p->code->len)
        return E_RANGE;
    p->jumps[p->jump_count++] = (struct codeplan_jump){place, target};
    e->island = (uint16_t)p->jump_count;
    p->code->marks[place] |= BYTECODE_ISLAND;
    return 0;
}

/* Makes jumps wide that do not reach. Returns the number of changes, or an error. */
static int widen(struct codeplan *p, int all)
{
    int changes = 0;
    for (uint32_t i = 0; i < p->code->event_count; i++) {
        struct bytecode_event *e = p->code->events + i;
        bool is_if = e->kind == OPCODE_IF;
        if ((!is_if && e->kind != OPCODE_GOTO) || e->is_wide)
            continue;
        int by_island = is_if && p->has_frames;
        if (reaches(p, e) && (!all || by_island))
            continue;
        changes++;
        if (!by_island)
            e->is_wide = true;
        else if (e->island || use_island(p, e) != 0)
            return E_RANGE;
    }
    return changes;
}

static void add_lengths(struct codeplan *p)
{
    for (uint32_t i = 0; i < p->probe_count; i++) {
        const struct codeplan_probe *probe = p->probes + i;
        p->enter_len += probe->enter.len;
        p->exit_len += probe->exit.len;
        p->caught_len += probe->caught.len;
        p->unlock_len += probe->unlock.len;
        p->unwind_len += probe->unwind.len;
        for (int made = 0; made < CODEPLAN_MADE_COUNT; made++)
            p->made_len[made] += probe->made[made].len;
    }
    p->unwind_len += p->unwind_len > 0 ? CODEPLAN_THROW_BYTES : 0;
}

int codeplan_make(struct codeplan *p)
{
    add_lengths(p);
    for (int round = 0; round < ROUNDS_MAX; round++) {
        lay_out(p);
        if (p->new_len <= SHORT_REACH)
            return 0;
        int changes = p->new_len > BYTECODE_MAX ? E_LIMIT : widen(p, round == ROUNDS_PATIENT);
        if (changes <= 0)
            return changes;
    }
    return E_RANGE;
}
