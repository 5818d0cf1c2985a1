/*
 * floor.c - a second library on src/vm: samples allocations beside libhprof.so, and lowers a flag.
 *
 * Options: CLASS,INTERVAL. At the end of the VM it writes to standard error how many objects of the
 * class the samples stand for, and the variance of that number; and the flag while lowered and
 * after. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/expo.h"
#include "vm/vm.h"
#include "vm/vm_event.h"
#include "vm/vm_flag.h"
#include "vm/vm_sampler.h"
#include "vm/vmself.h"

static const char flag[] = "MaxInlineSize";
enum { LOWERED = 20 }; /* between the VM's 35 and the 9 of cpu=times */

static struct {
    pthread_mutex_t lock;
    struct vm vm;
    char signature[128];
    uint64_t interval;
    int user;
    uint64_t samples;
    double objects, variance;
} floors = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void on_object(JNIEnv *env, jobject object, jclass klass, uint64_t bytes, void *arg)
{
    char *signature = NULL;
    double p = floors.interval ? expo_hit((double)bytes / (double)floors.interval) : 1;
    if ((*floors.vm.main)->GetClassSignature(floors.vm.main, klass, &signature, NULL) !=
        JVMTI_ERROR_NONE)
        return;
    if (strcmp(signature, floors.signature) == 0) {
        pthread_mutex_lock(&floors.lock);
        floors.samples++;
        floors.objects += 1 / p;
        floors.variance += (1 - p) / (p * p);
        pthread_mutex_unlock(&floors.lock);
    }
    (*floors.vm.main)->Deallocate(floors.vm.main, (unsigned char *)signature);
}

static void on_vm_init(void *data, JNIEnv *env, jthread thread)
{
    vm_sampler_hear(floors.user, on_object);
}

static void on_vm_death(void *data, JNIEnv *env)
{
    uint64_t lowered = 0, restored = 0;
    vm_sampler_close(floors.user);
    vmself_number(flag, &lowered);
    vm_flag_restore(flag);
    vmself_number(flag, &restored);
    fprintf(stderr, "floor: %llu samples, %.1f objects, variance %.1f, %s %llu %llu\n",
            (unsigned long long)floors.samples, floors.objects, floors.variance, flag,
            (unsigned long long)lowered, (unsigned long long)restored);
}

static struct vm_event_subscriber on_life[] = {
    {.event = VM_EVENT_VM_INIT, .on.vm_init = on_vm_init},
    {.event = VM_EVENT_VM_DEATH, .on.vm_death = on_vm_death},
};

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java,
                                                                           char *options,
                                                                           void *reserved)
{
    char *comma = strchr(options, ',');
    if (!comma || vm_open(&floors.vm, java) != 0)
        return JNI_ERR;
    vm_event_open(&floors.vm);
    snprintf(floors.signature, sizeof(floors.signature), "%.*s", (int)(comma - options), options);
    floors.interval = strtoull(comma + 1, NULL, 10);
    floors.user = vm_sampler_open(&floors.vm, floors.interval, NULL, NULL);
    if (floors.user < 0 || vm_flag_lower(flag, LOWERED) != 0) {
        fprintf(stderr, "floor: refused\n");
        return JNI_ERR;
    }
    return vm_event_add_all(on_life, 2, NULL) == 0 ? JNI_OK : JNI_ERR;
}
