/*
 * jvmpi_unweave.c - see jvmpi_unweave.h.
 *
 * To change a class the VM may load others. An agent that has turned off all its events in
 * JVM_SHUT_DOWN, and then asks for a dump, would not know them; so nothing is changed then.
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
