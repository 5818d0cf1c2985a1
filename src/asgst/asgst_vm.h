/*
 * asgst_vm.h - the VM of this process, once it can be walked.
 *
 * The library is loaded with its agent, long before the VM has a code cache or signal handlers. So
 * asgst_vm_try() is called again and again (asgst_helper.c) until a second thread has its Thread
 * object: its interpreter, its stubs, its code heaps and its handlers are there by then, and no
 * event has told an agent that the VM is ready. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/asgst_meta.h"
#include "safe/asgst_status.h"
#include "safe/hs_memory.h"

struct asgst_vm {
    const struct hs_memory *memory; /* this process's */
    const struct hs_layout *layout; /* of memory */
    struct asgst_meta_facts facts;
    struct asgst_meta_ids ids;
    struct asgst_status_facts status;
};

enum asgst_vm_state {
    ASGST_VM_NONE,   /* no libjvm.so in this process (yet) */
    ASGST_VM_STARTS, /* it is there, but not initialised */
    ASGST_VM_READY,
    ASGST_VM_UNKNOWN, /* this build lacks a fact: nothing will ever work */
};

/** The VM; NULL until it is ready. Context: signal. */
struct asgst_vm *asgst_vm_get(void);

/** Whether this VM was looked at, and will never be ready. Context: signal. */
bool asgst_vm_is_unknown(void);

/** Look again whether the VM is ready. Context: any, not signal; any thread. */
enum asgst_vm_state asgst_vm_try(void);

/**
 * Find what a VM that was just ready did not show yet: where thread objects have their fields. 0:
 * it is to be called again soon. Context: the helper thread, after ASGST_VM_READY.
 */
int asgst_vm_complete(void);

/** What is missing (static text), "" nothing. */
const char *asgst_vm_missing(void);
