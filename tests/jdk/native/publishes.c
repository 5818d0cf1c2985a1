/*
 * publishes.c - an SDK as OpenTelemetry's standards describe it: publishes the context of the
 * calling thread (OTEP 4947) and that of the process (OTEP 4719) for readers.
 *
 * How the compiler reaches the variable is the caller's choice: -mtls-dialect=gnu2, -mtls-dialect=
 * gnu, -ftls-model=initial-exec. With -DBLOCK_BYTES=N the library has so many more bytes of
 * thread-local storage, so that the linker finds no room for them in the static block.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <jni.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { SET_VMA = 0x53564d41, SET_VMA_ANON_NAME = 0 }; /* PR_..., which older headers lack */

struct record {
    unsigned char trace[16], span[8];
    uint8_t valid, flags;
    uint16_t attribute_bytes;
    unsigned char attributes[612];
};

struct header {
    char signature[8];
    uint32_t version, payload_bytes;
    uint64_t published_ns, payload;
};

__attribute__((visibility("default"))) __thread struct record *volatile otel_thread_ctx_v1;
static __thread struct record *own; /* the record that the thread uses again */

#ifdef BLOCK_BYTES
__attribute__((visibility("default"))) __thread volatile char publishes_block[BLOCK_BYTES] = {1};
#endif

static struct record *record_of_thread(void)
{
    if (!own)
        own = calloc(1, sizeof(*own));
    return own;
}

/* The thread works for a span from now on. The ids are hexadecimal in Java, bytes here. */
JNIEXPORT void JNICALL Java_Publishes_attach(JNIEnv *env, jclass klass, jbyteArray trace,
                                             jbyteArray span, jbyteArray attributes)
{
    struct record *r = record_of_thread();
    jsize len = attributes ? (*env)->GetArrayLength(env, attributes) : 0;
    (void)klass;
    otel_thread_ctx_v1 = NULL;
    (*env)->GetByteArrayRegion(env, trace, 0, sizeof(r->trace), (jbyte *)r->trace);
    (*env)->GetByteArrayRegion(env, span, 0, sizeof(r->span), (jbyte *)r->span);
    if (attributes)
        (*env)->GetByteArrayRegion(env, attributes, 0, len, (jbyte *)r->attributes);
    r->attribute_bytes = (uint16_t)len;
    r->valid = 1;
    otel_thread_ctx_v1 = r;
}

JNIEXPORT void JNICALL Java_Publishes_detach(JNIEnv *env, jclass klass)
{
    (void)env, (void)klass;
    otel_thread_ctx_v1 = NULL;
}

/* The record of the thread is this: one that is not valid, an address where nothing is, or one
 * whose attributes are longer than they can be. */
JNIEXPORT void JNICALL Java_Publishes_spoil(JNIEnv *env, jclass klass, jint how)
{
    struct record *r = record_of_thread();
    (void)env, (void)klass;
    memset(r, 0x5a, sizeof(*r));
    r->valid = how == 0 ? 2 : 1;
    if (how == 2)
        r->attribute_bytes = UINT16_MAX;
    otel_thread_ctx_v1 = how == 1 ? (struct record *)(uintptr_t)0x7ffffffff000 : r;
}

/* Publish this payload as the context of the process, under the name that readers look for. */
JNIEXPORT jboolean JNICALL Java_Publishes_process(JNIEnv *env, jclass klass, jbyteArray payload)
{
    static struct header *at;
    struct timespec now;
    size_t len = (size_t)(*env)->GetArrayLength(env, payload);
    jbyte *bytes = malloc(len);
    (void)klass;
    if (!bytes)
        return JNI_FALSE;
    (*env)->GetByteArrayRegion(env, payload, 0, (jsize)len, bytes);
    if (!at) {
        long page = sysconf(_SC_PAGESIZE);
        int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (fd < 0 || ftruncate(fd, page) != 0)
            return JNI_FALSE;
        at = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        close(fd);
        if (at == MAP_FAILED || madvise(at, (size_t)page, MADV_DONTFORK) != 0)
            return JNI_FALSE;
        memcpy(at->signature, "OTEL_CTX", sizeof(at->signature));
        at->version = 2;
    }
    at->published_ns = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    at->payload = (uint64_t)(uintptr_t)bytes;
    at->payload_bytes = (uint32_t)len;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    clock_gettime(CLOCK_BOOTTIME, &now);
    at->published_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    prctl(SET_VMA, SET_VMA_ANON_NAME, at, (size_t)sysconf(_SC_PAGESIZE), "OTEL_CTX");
    return JNI_TRUE;
}
