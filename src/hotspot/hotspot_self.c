/*
 * hotspot_self.c - see hotspot_self.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/hotspot_self.h"
#include "hotspot/hotspot.h"
#include "hotspot/java_chunk_facts.h"
#include "hotspot/layout.h"
#include "base/err.h"
#include "safe/hs_calls.h"
#include "safe/mem_self.h"
#include "safe/unwind.h"

/* There is one own process, as there is one mem_self. */
struct unwind hotspot_self_unwind;
static struct hs_calls own_calls;

/* Check through the layout what must be true in every VM. A wrong layout fails here, and not in the
 * first signal. */
static bool layout_fits(const struct hs_layout *l, const char **ret_wrong)
{
    struct mem_view v = {.mem = &mem_self};
    struct hs_blob blob;
    if (!hs_code_find(&v, l, l->call_stub_return, &blob) || blob.kind != HS_BLOB_STUBS) {
        *ret_wrong = "the call stub where the code cache has it";
        return false;
    }
    if (!hs_code_find(&v, l, l->interp_low, &blob) || blob.kind != HS_BLOB_INTERPRETER ||
        l->interp_high > blob.end) {
        *ret_wrong = "the interpreter where the code cache has it";
        return false;
    }
    return true;
}

/* Choose the guard. With -Xcheck:jni the VM would warn about our handler: use the VM's own safe
 * loads. If they are not found, use the slow loads, which need nothing. */
static int open_guard(const struct hs_layout *l)
{
    if (!l->checks_jni)
        return mem_self_open(MEM_SELF_HANDLER, 0);
    mem_self_close();
    if (l->safefetch != 0 && mem_self_open(MEM_SELF_SAFEFETCH, l->safefetch) == 0)
        return 0;
    return mem_self_open(MEM_SELF_SYSCALL, 0);
}

int hotspot_self_open(struct hotspot **ret_hotspot, const char **ret_missing)
{
    int error = hotspot_open_own(LAYOUT_walk | LAYOUT_names, ret_hotspot, ret_missing);
    if (error == 0 && open_guard(&(*ret_hotspot)->layout) < 0) {
        *ret_missing = "a guard against faults";
        hotspot_close(*ret_hotspot);
        return E_FACT_MISSING;
    }
    if (error == 0 && !layout_fits(&(*ret_hotspot)->layout, ret_missing)) {
        hotspot_close(*ret_hotspot);
        error = E_FACT_MISSING;
    }
    if (error < 0)
        return error;
    (*ret_hotspot)->memory.calls = &own_calls;
    (*ret_hotspot)->memory.unwind = &hotspot_self_unwind;
    java_chunk_facts_fill(*ret_hotspot);
    return 0;
}
