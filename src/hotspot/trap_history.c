/*
 * trap_history.c - see trap_history.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/trap_history.h"
#include <string.h>
#include "base/err.h"
#include "hotspot/target.h"
#include "safe/hs_method.h"
#include "safe/mem.h"

/* A field of the part of a MethodData that JDK 8 has as fields of the MethodData itself. */
static int32_t counter_field(const struct target *t, const char *old, const char *later)
{
    return target_field(t, "MethodData", later, target_field(t, "MethodData", old, HS_NONE));
}

static void find_reasons(struct trap_history *h)
{
    static const char prefix[] = "Deoptimization::Reason_";
    const struct vmtables *tables = &h->target->tables;
    for (uint32_t i = 0; i < tables->count; i++) {
        const struct vmtables_row *row = &tables->rows[i];
        const char *name = row->type + sizeof(prefix) - 1;
        if (row->kind == 'i' && strncmp(row->type, prefix, sizeof(prefix) - 1) == 0 &&
            row->value > 0 && row->value < TRAP_HISTORY_MAX && !strstr(name, "LIMIT"))
            h->reasons[row->value] = name;
    }
}

int trap_history_init(struct trap_history *h, const struct target *t, const char **ret_missing)
{
    *h = (struct trap_history){
        .target = t,
        .method_data = target_field(t, "Method", "_method_data", HS_NONE),
        .of_method = target_field(t, "MethodData", "_method", HS_NONE),
        .counts =
            counter_field(t, "_trap_hist._array[0]", "_compiler_counters._trap_hist._array[0]"),
        .overflow =
            counter_field(t, "_nof_overflow_traps", "_compiler_counters._nof_overflow_traps"),
    };
    /* The counts end where the next field that is told begins. */
    int32_t next = target_field(t, "MethodData", "_eflags", HS_NONE);
    int32_t bytes = next - h->counts;
    *ret_missing = h->method_data < 0                       ? "Method::_method_data"
                   : h->of_method < 0                       ? "MethodData::_method"
                   : h->counts < 0                          ? "MethodData::_trap_hist"
                   : h->overflow < 0                        ? "MethodData::_nof_overflow_traps"
                   : bytes <= 0 || bytes > TRAP_HISTORY_MAX ? "the length of MethodData::_trap_hist"
                                                            : NULL;
    if (*ret_missing)
        return E_FACT_MISSING;
    h->period = h->length = (uint32_t)bytes;
    /* Reason_tenured is counted elsewhere; its number is that of the recorded reasons. */
    int32_t reasons = target_constant(t, "Deoptimization::Reason_tenured", 0);
    if (reasons > 0 && reasons <= bytes) {
        h->period = (uint32_t)reasons;
        h->length = 2 * reasons <= bytes ? 2 * h->period : h->period;
    }
    find_reasons(h);
    return 0;
}

bool trap_history_read(const struct trap_history *h, uint64_t method,
                       struct trap_history_row *ret_row)
{
    struct mem_view v = {.mem = h->target->mem};
    struct trap_history_row row = {0};
    struct hs_method shape;
    if (!hs_method_read(&v, h->target->layout, method, &shape))
        return false;
    row.const_method = shape.const_method;
    uint64_t data = mem_view_u8(&v, method + (uint64_t)h->method_data);
    if (data != 0) {
        if (mem_view_u8(&v, data + (uint64_t)h->of_method) != method ||
            mem_read(h->target->mem, data + (uint64_t)h->counts, row.counts, h->length) < 0)
            return false;
        row.overflow = mem_view_u4(&v, data + (uint64_t)h->overflow);
    }
    *ret_row = row;
    return v.faults == 0;
}

const char *trap_history_reason(const struct trap_history *h, uint32_t index)
{
    const char *reason = h->reasons[index % h->period];
    return reason ? reason : "unknown";
}
