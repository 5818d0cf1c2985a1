/*
 * jvmpi_dump_object.h - OBJECT_DUMP: the record of one object.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>

/** RequestEvent(OBJECT_DUMP). The values are those of one moment. Context: java. */
jint jvmpi_dump_object_request(JNIEnv *env, int agent, jobjectID id);
