/*
 * probe_hit.c - see probe_hit.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_hit.h"
#include <elf.h>
#include <string.h>
#include "base/sink.h"
#include "format/json_out.h"
#include "mem/mem_live.h"

enum { X86_SP = 7, X86_BP = 6, ARM_SP = 31, ARM_FP = 29 };

static int stack_pointer(unsigned machine)
{
    return machine == EM_X86_64 ? X86_SP : ARM_SP;
}

/* Note what the kernel has to copy for an argument. */
static void need(struct probe_hit_form *form, const struct stapsdt_arg *arg, unsigned machine)
{
    form->registers |= stapsdt_arg_needs(arg);
    if (arg->place != STAPSDT_MEMORY)
        return;
    int fp = machine == EM_X86_64 ? X86_BP : ARM_FP;
    if (arg->base == stack_pointer(machine) || arg->base == fp) {
        form->has_stack = true;
        form->registers |= UINT64_C(1) << stack_pointer(machine);
    }
}

void probe_hit_form(const struct probe_hit_source *of, struct probe_hit_form *ret)
{
    const char *flag, *args = of->args;
    const unsigned machine = of->machine;
    const char *words = of->words ? of->words : probe_known_words(of->provider, of->name, &flag);
    *ret = (struct probe_hit_form){.provider = of->provider, .name = of->name};
    for (; ret->count < PROBE_HIT_FIELDS; ret->count++) {
        const struct probe_known_field known = probe_known_field(words, ret->count);
        struct stapsdt_arg *at = &ret->fields[ret->count].at, *len = &ret->fields[ret->count].len;
        int has_at = stapsdt_arg_next(&args, machine, at);
        int has_len = has_at != 0 && known.is_text ? stapsdt_arg_next(&args, machine, len) : 1;
        if (has_at == 0)
            return;
        ret->fields[ret->count].known = known;
        ret->fields[ret->count].is_known = has_at > 0 && has_len > 0;
        if (!ret->fields[ret->count].is_known)
            continue;
        need(ret, at, machine);
        if (known.is_text)
            need(ret, len, machine);
    }
}

/* Read memory of the process: what the kernel has copied of the stack, otherwise as it is now. */
static bool read_memory(const struct probe_ring_hit *hit, uint64_t sp, struct mem_live *live,
                        uint64_t address, void *to, size_t len)
{
    if (hit->stack && address >= sp && address - sp <= hit->stack_bytes &&
        len <= hit->stack_bytes - (address - sp)) {
        memcpy(to, hit->stack + (address - sp), len);
        return true;
    }
    return live && mem_live_read_now(live, address, to, len) == 0;
}

static bool value_of(const struct stapsdt_arg *arg, const struct probe_ring_hit *hit,
                     struct mem_live *live, uint64_t *ret)
{
    const struct stapsdt_regs regs = {.mask = hit->known, .of = hit->registers};
    uint64_t address, raw = 0;
    if (arg->place != STAPSDT_MEMORY)
        return stapsdt_arg_value(arg, &regs, ret);
#if defined(__aarch64__)
    uint64_t sp = hit->registers[ARM_SP];
#else
    uint64_t sp = hit->registers[X86_SP];
#endif
    if (!stapsdt_arg_address(arg, &regs, &address) ||
        !read_memory(hit, sp, live, address, &raw, arg->bytes))
        return false;
    *ret = stapsdt_arg_widen(arg, raw);
    return true;
}

/* Read a text up to its 0. Behind the end of a page there may be no memory. */
static bool read_string(struct mem_live *live, uint64_t address, struct probe_hit_value *ret)
{
    enum { PAGE = 4096 };
    ret->len = 0;
    while (live && ret->len < PROBE_HIT_TEXT) {
        uint64_t from = address + ret->len, in_page = PAGE - from % PAGE;
        uint32_t room = PROBE_HIT_TEXT - ret->len, len = in_page < room ? (uint32_t)in_page : room;
        if (mem_live_read_now(live, from, ret->text + ret->len, len) != 0)
            return false;
        const char *end = memchr(ret->text + ret->len, '\0', len);
        ret->len = end ? (uint32_t)(end - ret->text) : ret->len + len;
        if (end)
            break;
    }
    ret->text[ret->len] = '\0';
    return live != NULL;
}

void probe_hit_raw(const struct probe_hit_form *form, unsigned count,
                   const struct probe_ring_hit *hit, struct mem_live *live, uint64_t *ret,
                   unsigned room)
{
    unsigned n = 0;
    memset(ret, 0, room * sizeof(*ret));
    for (unsigned i = 0; i < count && i < form->count; i++) {
        bool is_text = form->fields[i].known.is_text, is_known = form->fields[i].is_known;
        if (n < room && is_known && !value_of(&form->fields[i].at, hit, live, &ret[n]))
            ret[n] = 0;
        n++;
        if (n < room && is_text && is_known && !value_of(&form->fields[i].len, hit, live, &ret[n]))
            ret[n] = 0;
        n += is_text;
    }
}

void probe_hit_value(const struct probe_hit_form *form, unsigned i,
                     const struct probe_ring_hit *hit, struct mem_live *live,
                     struct probe_hit_value *ret)
{
    const struct probe_known_field *known = &form->fields[i].known;
    uint64_t len = 0;
    ret->is = PROBE_HIT_NONE;
    if (!form->fields[i].is_known || !value_of(&form->fields[i].at, hit, live, &ret->number))
        return;
    if (known->is_string) {
        if (read_string(live, ret->number, ret))
            ret->is = PROBE_HIT_TEXT_VALUE;
        return;
    }
    if (!known->is_text) {
        ret->is = form->fields[i].at.is_signed ? PROBE_HIT_SIGNED : PROBE_HIT_NUMBER;
        return;
    }
    if (known->is_gone || !value_of(&form->fields[i].len, hit, live, &len) || !live)
        return;
    ret->len = (uint32_t)(len < PROBE_HIT_TEXT ? len : PROBE_HIT_TEXT);
    if (ret->len > 0 && mem_live_read_now(live, ret->number, ret->text, ret->len) != 0)
        return;
    ret->text[ret->len] = '\0';
    ret->is = PROBE_HIT_TEXT_VALUE;
}

void probe_hit_put(struct sink *out, const struct probe_hit_value *value, bool is_json)
{
    switch (value->is) {
    case PROBE_HIT_NUMBER:
        sink_printf(out, "%llu", (unsigned long long)value->number);
        break;
    case PROBE_HIT_SIGNED:
        sink_printf(out, "%lld", (long long)value->number);
        break;
    case PROBE_HIT_TEXT_VALUE:
        if (is_json)
            json_out_text(out, value->text, value->len);
        else
            sink_bytes(out, value->text, value->len);
        break;
    default:
        sink_text(out, is_json ? "null" : "?");
        break;
    }
}
