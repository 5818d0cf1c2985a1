/*
 * asgst_status.h - a thread's state as its java.lang.Thread has it.
 *
 * The Thread object lies in the heap, where a collector may just be moving it, so nothing that is
 * read there is trusted by itself: its field `eetop` must lead back to the JavaThread, and the
 * status must be one that exists. Reads: the JavaThread, its handle, the object and its holder, all
 * by guarded loads. Source: javaClasses.hpp (JavaThreadStatus), Thread.java. Context of everything
 * here: signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_layout.h"
#include "safe/mem.h"

/** How references are written and where the fields lie; filled by src/asgst/asgst_vm.c. */
struct asgst_status_facts {
    bool is_known;  /* 0: this VM's objects cannot be read */
    bool is_handle; /* JavaThread::_threadObj points to the reference */
    struct hs_refs refs;
    int32_t eetop;          /* offsets in the Thread object */
    int32_t holder;         /* HS_NONE before JDK 19 */
    int32_t interrupted;    /* HS_NONE before JDK 14 */
    int32_t status;         /* in the holder, or else in the Thread */
    int32_t os_interrupted; /* OSThread::_interrupted, HS_NONE from JDK 14 on */
};

/** JVM TI's bit for an interrupted thread. */
enum { ASGST_STATUS_INTERRUPTED = 0x200000 };

/** The status in JVM TI's bits, with INTERRUPTED; -1 it cannot be read now. */
int asgst_status_of(struct mem_view *v, const struct hs_layout *l,
                    const struct asgst_status_facts *f, uint64_t java_thread);
