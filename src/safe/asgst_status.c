/*
 * asgst_status.c - see asgst_status.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/asgst_status.h"

/* All values of JavaThreadStatus except the value of a thread that has not been started. */
static const uint32_t statuses[] = {
    0x5,   /* runnable */
    0xe1,  /* sleeping */
    0x191, /* in Object.wait */
    0x1a1, /* in Object.wait, with a time limit */
    0x291, /* parked */
    0x2a1, /* parked, with a time limit */
    0x401, /* blocked on monitor enter */
    0x2,   /* terminated */
};

static bool is_status(uint32_t status)
{
    for (unsigned i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
        if (status == statuses[i])
            return true;
    }
    return false;
}

static uint64_t object_of(struct mem_view *v, const struct hs_layout *l,
                          const struct asgst_status_facts *f, uint64_t java_thread)
{
    uint64_t word = mem_view_u8(v, java_thread + (uint64_t)l->thread_object);
    if (f->is_handle && word != 0)
        word = mem_view_u8(v, word);
    return hs_refs_word(&f->refs, word);
}

static uint64_t field_object(struct mem_view *v, const struct asgst_status_facts *f, uint64_t addr)
{
    if (f->refs.is_compressed)
        return hs_refs_narrow(&f->refs, mem_view_u4(v, addr));
    return hs_refs_word(&f->refs, mem_view_u8(v, addr));
}

static bool is_interrupted(struct mem_view *v, const struct hs_layout *l,
                           const struct asgst_status_facts *f, uint64_t java_thread,
                           uint64_t object)
{
    if (f->interrupted >= 0)
        return mem_view_u1(v, object + (uint64_t)f->interrupted) == 1;
    if (f->os_interrupted < 0)
        return false;
    uint64_t osthread = mem_view_u8(v, java_thread + (uint64_t)l->thread_osthread);
    return mem_view_u4(v, osthread + (uint64_t)f->os_interrupted) == 1;
}

int asgst_status_of(struct mem_view *v, const struct hs_layout *l,
                    const struct asgst_status_facts *f, uint64_t java_thread)
{
    uint32_t faults = v->faults;
    if (!f->is_known)
        return -1;
    uint64_t object = object_of(v, l, f, java_thread);
    if (object == 0 || mem_view_u8(v, object + (uint64_t)f->eetop) != java_thread)
        return -1;
    uint64_t owner = f->holder >= 0 ? field_object(v, f, object + (uint64_t)f->holder) : object;
    uint32_t status = mem_view_u4(v, owner + (uint64_t)f->status);
    bool interrupted = is_interrupted(v, l, f, java_thread, object);
    if (v->faults != faults || owner == 0 || !is_status(status))
        return -1;
    return (int)status | (interrupted ? ASGST_STATUS_INTERRUPTED : 0);
}
