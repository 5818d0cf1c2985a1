/*
 * jit_test.h - the frames that a walk of AsgstJit's chain has to find.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JIT_TEST_H
#define JIT_TEST_H
#include <jni.h>

enum { JIT_DEPTH = 64 };

struct jit_frame {
    jmethodID id;
    char name[64];
    int type, level, bci; /* of asgst.h */
};

struct jit_truth {
    struct jit_frame frames[JIT_DEPTH];
    jint count;
};

int jit_older_check(const struct jit_truth *truth, void *ucontext);
#endif
