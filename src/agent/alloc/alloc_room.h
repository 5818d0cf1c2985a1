/*
 * alloc_room.h - makes the VM's table of tags fit for a tag on every object.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

/**
 * Once, before anything has a tag in the environment `jvmti`. Where the table is another one than
 * tag_room.h knows, nothing is changed. Context: java.
 */
void alloc_room_make(jvmtiEnv *jvmti, JNIEnv *env);
