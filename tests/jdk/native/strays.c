/* strays.c - C code whose stack has words that lead to no object of a dump, and which calls Java.
 *
 * The words: where objects lay that are dead since, and where java.lang.Class objects lie near a
 * given one, those of an archive among them whose classes nobody has loaded.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <jni.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 2048, NEAR = 256 << 10, KLASS_AT = 8 };

/* A local reference is the address of the place where the VM has the object's address. */
static uint64_t address_of(jobject local)
{
    return *(const volatile uint64_t *)local;
}

static uint32_t add_mirrors(volatile uint64_t *words, uint32_t count, uint64_t mirror)
{
    static unsigned char memory[2 * NEAR];
    int fd = open("/proc/self/mem", O_RDONLY);
    uint32_t klass, other;
    memcpy(&klass, (const void *)(uintptr_t)(mirror + KLASS_AT), sizeof(klass));
    uint64_t from = (mirror & ~(uint64_t)4095) - NEAR;
    for (size_t page = 0; page < sizeof(memory); page += 4096)
        (void)!pread(fd, memory + page, 4096, (off_t)(from + page));
    close(fd);
    for (size_t at = 0; at + 16 <= sizeof(memory) && count < WORDS; at += 8) {
        memcpy(&other, memory + at + KLASS_AT, sizeof(other));
        if (other == klass)
            words[count++] = from + at;
    }
    return count;
}

JNIEXPORT void JNICALL Java_HoldsStrays_hold(JNIEnv *env, jclass klass, jobjectArray dying,
                                             jclass mirror)
{
    volatile uint64_t words[WORDS] = {0};
    uint32_t count = 0;
    jmethodID next = (*env)->GetStaticMethodID(env, klass, "next", "(I)V");
    for (jsize i = 0; i < (*env)->GetArrayLength(env, dying); i++) {
        jobject object = (*env)->GetObjectArrayElement(env, dying, i);
        words[count++] = address_of(object);
        (*env)->DeleteLocalRef(env, object);
        (*env)->SetObjectArrayElement(env, dying, i, NULL);
    }
    count = add_mirrors(words, count, address_of(mirror));
    if (next)
        (*env)->CallStaticVoidMethod(env, klass, next, (jint)count);
    words[0] = 0; /* the words are there until the call returns */
}
