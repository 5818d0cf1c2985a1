/*
 * jvmpi_unweave.c - see jvmpi_unweave.h.
 *
 * When the VM changes a class, it may load other classes. An agent that has turned off all its
 * events in JVM_SHUT_DOWN and then asks for a dump would not know these classes. So no class is
 * changed while the VM ends.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_unweave.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_send.h"
#include "vm/injector.h"

void jvmpi_unweave(struct injector_user *user)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    injector_remove(user);
    if (env && !jvmpi_send_is_ending())
        injector_apply(env);
}
