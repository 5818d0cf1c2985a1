/*
 * asgst_status.h - the state of a thread as its java.lang.Thread object has it.
 *
 * The Thread object lies in the heap, and a collector may be moving it at this moment. The code
 * therefore checks what it reads there: the field `eetop` of the object must lead back to the
 * JavaThread, and the status must be one that exists. The JavaThread, its handle, the object and
 * the object's holder are read, all by guarded loads.
 * Source: javaClasses.hpp (JavaThreadStatus), Thread.java. Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_layout.h"
#include "safe/mem.h"

/** The form of references and the offsets of the fields; src/asgst/asgst_vm.c fills this. */
struct asgst_status_facts {
    bool is_known;  /* false: the objects of this VM cannot be read */
    bool is_handle; /* JavaThread::_threadObj points to the reference */
    struct hs_refs refs;
    int32_t eetop;          /* offsets in the Thread object */
    int32_t holder;         /* HS_NONE before JDK 19 */
    int32_t interrupted;    /* HS_NONE before JDK 14 */
    int32_t status;         /* in the holder; without a holder, in the Thread object */
    int32_t os_interrupted; /* OSThread::_interrupted, HS_NONE from JDK 14 on */
};

/** JVM TI's bit for an interrupted thread. */
enum { ASGST_STATUS_INTERRUPTED = 0x200000 };

/** The status of a thread in JVM TI's bits, with INTERRUPTED; -1: it cannot be read now. */
int asgst_status_of(struct mem_view *v, const struct hs_layout *l,
                    const struct asgst_status_facts *f, uint64_t java_thread);
