/*
 * asgst_helper.h - the one thread of this library.
 *
 * The thread waits for the VM, keeps the map of loaded libraries fresh, and runs the works that
 * other files give it, for example to call the handlers of queues or to watch for unloaded classes.
 * This file does not know what a work does. The thread takes no signals and is not attached to the
 * VM. The wait of asgst_ready.h, which starts the thread, is here, too.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** Start the thread if it does not run. Returns 0 or -errno. Context: any, not signal. */
int asgst_helper_start(void);

/** Wake the thread, because a work has something to do. Context: signal. */
void asgst_helper_wake(void);

/** A work: what the thread does again and again once the VM is ready. A work may call user code. */
struct asgst_helper_work {
    /** Do the work. Returns after how many ms at the latest the work is to run again; 0: when the
     * thread is woken. */
    uint32_t (*run)(void);
    struct asgst_helper_work *next; /* written by asgst_helper.c */
    bool is_added;                  /* written by asgst_helper.c */
};

/**
 * Give the thread another work. A work that was given before is not added again. At exit() the
 * thread stops while the code that its works call is still loaded.
 * Owner:   the caller keeps the work for ever.
 * Context: any, not signal.
 */
void asgst_helper_add(struct asgst_helper_work *work);

/** Whether the caller runs on this thread. Context: signal. */
bool asgst_helper_is_self(void);
