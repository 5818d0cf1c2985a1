/*
 * java_chunk_facts.c - see java_chunk_facts.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_chunk_facts.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"
#include "safe/release.h"

int java_chunk_facts_of(struct oops *o, uint64_t klass, struct hs_chunk_facts *ret_facts)
{
    struct hs_chunk_facts f = {.klass = klass, .refs = o->refs};
    int32_t layout_at = target_field(o->target, "Klass", "_layout_helper", -1);
    if (klass == 0 || layout_at < 0)
        return 0;
    f.size = oops_field(o, klass, "size");
    f.sp = oops_field(o, klass, "sp");
    f.bottom = oops_field(o, klass, "bottom");
    f.parent = oops_field(o, klass, "parent");
    /* The stack follows the fields: the layout helper of the class is the size of the fields. */
    f.header = (int32_t)(target_u4(o->target, klass + (uint64_t)layout_at) & ~7u);
    if (f.size < 0 || f.sp < 0 || f.bottom < 0 || f.parent < 0 || f.header <= 0)
        return 0;
    *ret_facts = f;
    return 1;
}

static void fill(const struct target *t, struct hs_chunk_facts *facts)
{
    struct oops o;
    struct hs_chunk_facts f;
    const char *unused;
    if (oops_init(t, &o, &unused) < 0 || o.refs.mover == HS_REFS_UNKNOWN ||
        !java_chunk_facts_of(&o, oops_boot_class(&o, "jdk/internal/vm/StackChunk"), &f))
        return;
    f.continuation_klass = oops_boot_class(&o, "jdk/internal/vm/Continuation");
    f.tail = f.continuation_klass != 0 ? oops_field(&o, f.continuation_klass, "tail") : -1;
    uint64_t thread_klass = oops_boot_class(&o, "java/lang/VirtualThread");
    f.continuation = thread_klass != 0 ? oops_field(&o, thread_klass, "cont") : -1;
    f.klass_super = o.klass_super;
    f.pc = HS_NONE; /* the VM adds this field: the class does not list it */
    if (t->layout->chunk_pc_at != 0)
        f.pc = (int32_t)target_u4(t, t->layout->chunk_pc_at);
    f.unmounts_in_vm = t->layout->version >= RELEASE_UNMOUNTS_IN_VM;
    f.is_known = f.tail >= 0;
    *facts = f;
}

void java_chunk_facts_fill(struct hotspot *vm)
{
    struct target t;
    if (vm->layout.version < RELEASE_CONTINUATIONS)
        return;
    if (target_of_vm(vm, &t) == 0)
        fill(&t, &vm->layout.chunks);
    vmtables_done(&t.tables);
}
