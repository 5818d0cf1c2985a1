/*
 * asgst_vm.h - the VM of this process, once it can be walked.
 *
 * The library is loaded together with its agent, long before the VM has a code cache or signal
 * handlers. So asgst_helper.c calls asgst_vm_try() again and again, until a second thread has its
 * Thread object. At this moment the VM has its interpreter, stubs, code heaps and signal handlers,
 * and no event has told an agent yet that the VM is ready.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/asgst_meta.h"
#include "safe/asgst_status.h"
#include "safe/hs_memory.h"

struct asgst_vm {
    const struct hs_memory *memory; /* the memory of this process */
    const struct hs_layout *layout; /* the layout of `memory` */
    struct asgst_meta_facts facts;
    struct asgst_meta_ids ids;
    struct asgst_status_facts status;
};

enum asgst_vm_state {
    ASGST_VM_NONE,   /* no libjvm.so in this process (yet) */
    ASGST_VM_STARTS, /* libjvm.so is in this process, but the VM is not initialised */
    ASGST_VM_READY,
    ASGST_VM_UNKNOWN, /* a fact about this build of the VM is not known: walks will never work */
};

/** The VM; NULL until the VM is ready. Context: signal. */
struct asgst_vm *asgst_vm_get(void);

/** Whether asgst_vm_try() has found that this VM will never be ready. Context: signal. */
bool asgst_vm_is_unknown(void);

/** Look again whether the VM is ready. Context: any, not signal; any thread. */
enum asgst_vm_state asgst_vm_try(void);

/** Find the facts that the VM did not show yet when it became ready: the offsets of fields in
 * thread objects, and the thread-local slot of the current thread. Returns 0 if the function is to
 * be called again soon. Context: the helper thread, after ASGST_VM_READY. */
int asgst_vm_complete(void);

/** A static text that names what is missing; "" if nothing is missing. */
const char *asgst_vm_missing(void);
