/*
 * imports_imports_variable.c - finds a thread-local variable of loaded libraries, and reads the
 * records to which it points in this thread and in others. SPDX-License-Identifier: Apache-2.0
 */
#include "imports/imports_variable.h"
#include "cmocka_all.h"
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEAD = 28, VALID = 24, SIZE = 26 };

struct client {
    void *library;
    void (*publish)(const void *record);
};

static struct client open_client(const char *path)
{
    struct client c = {.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!c.library)
        fail_msg("%s", dlerror());
    void *symbol = dlsym(c.library, "client_publish");
    assert_non_null(symbol);
    memcpy(&c.publish, &symbol, sizeof(symbol));
    return c;
}

static void make_record(unsigned char *record, unsigned char id)
{
    memset(record, 0, HEAD);
    memset(record, id, 24);
    record[VALID] = 1;
}

static struct imports_variables look(void)
{
    struct imports_variables v;
    struct otel_thread_variable at[OTEL_THREAD_VARIABLES];
    assert_int_equal(imports_variable_find(OTEL_THREAD_SYMBOL, &v), 0);
    for (uint32_t i = 0; i < v.count; i++)
        at[i] = v.of[i].at;
    assert_true(otel_thread_set(at, v.count, &v.libc));
    return v;
}

static void forget(struct imports_variables *v)
{
    otel_thread_set(NULL, 0, NULL);
    imports_variable_done(v);
}

static bool is_empty(const struct otel_thread *read)
{
    static const struct otel_thread none;
    return memcmp(read, &none, sizeof(none)) == 0;
}

struct other {
    struct client *client;
    unsigned char record[HEAD];
    sem_t is_ready, may_end;
};

static void *publish_and_wait(void *with)
{
    struct other *o = with;
    struct otel_thread read;
    otel_thread_read(&read);
    assert_true(is_empty(&read)); /* it has published nothing yet, and reading allocates nothing */
    make_record(o->record, 0x77);
    o->client->publish(o->record);
    otel_thread_read(&read);
    assert_int_equal(read.span[0], 0x77);
    sem_post(&o->is_ready);
    sem_wait(&o->may_end);
    o->client->publish(NULL);
    return NULL;
}

static void read_in_each_thread(const char *path, bool is_static)
{
    struct client c = open_client(path);
    struct imports_variables v = look();
    struct otel_thread read;
    unsigned char record[HEAD] __attribute__((aligned(2)));
    struct other o = {.client = &c};
    pthread_t thread;
    assert_int_equal(v.count, 1);
    assert_int_equal(v.unknown, 0);
#ifdef __GLIBC__ /* musl has no room in the static block for a library that is loaded late */
    assert_int_equal(v.of[0].at.module == 0, is_static);
#endif
    otel_thread_read(&read);
    assert_true(is_empty(&read));
    make_record(record, 0x33);
    c.publish(record);
    otel_thread_read(&read);
    assert_int_equal(read.trace[15], 0x33);
    assert_int_equal(read.span[7], 0x33);
    sem_init(&o.is_ready, 0, 0);
    sem_init(&o.may_end, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, publish_and_wait, &o), 0);
    sem_wait(&o.is_ready);
    otel_thread_read(&read); /* what the other thread publishes is not ours */
    assert_int_equal(read.trace[0], 0x33);
    sem_post(&o.may_end);
    pthread_join(thread, NULL);
    c.publish(NULL);
    forget(&v);
    dlclose(c.library);
}

static void each_way_of_the_compiler_to_the_variable_is_known(void **state)
{
    read_in_each_thread(CLIENT_DESCRIPTOR, true);
#ifdef __GLIBC__
    read_in_each_thread(CLIENT_INITIAL, true);
#endif
}

static void a_library_without_room_in_the_static_block_has_blocks_of_its_own(void **state)
{
    read_in_each_thread(CLIENT_LARGE, false);
#ifdef __x86_64__ /* other processors have descriptors only */
    read_in_each_thread(CLIENT_CLASSIC, false);
#endif
}

static void without_a_library_there_is_nothing(void **state)
{
    struct imports_variables v = look();
    struct otel_thread read;
    assert_int_equal(v.count, 0);
    memset(&read, 0x55, sizeof(read));
    otel_thread_read(&read);
    assert_true(is_empty(&read));
    forget(&v);
}

static void a_library_that_publishes_stays_loaded_while_it_is_read(void **state)
{
    struct client c = open_client(CLIENT_DESCRIPTOR);
    struct imports_variables v = look();
    unsigned char record[HEAD] __attribute__((aligned(2)));
    struct otel_thread read;
    make_record(record, 0x44);
    c.publish(record);
    dlclose(c.library);
    otel_thread_read(&read);
    assert_int_equal(read.trace[3], 0x44);
    c.publish(NULL);
    forget(&v);
}

static void what_is_no_valid_record_is_none(void **state)
{
    struct client c = open_client(CLIENT_DESCRIPTOR);
    struct imports_variables v = look();
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *two =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *record = two + page - HEAD;
    struct otel_thread read;
    assert_ptr_not_equal(two, MAP_FAILED);
    assert_int_equal(mprotect(two + page, page, PROT_NONE), 0);
    for (int i = 0; i < 7; i++) {
        make_record(record, 0x11);
        c.publish(record);
        switch (i) {
        case 0:
            record[VALID] = 0;
            break;
        case 1:
            record[VALID] = 2;
            break;
        case 2:
            c.publish(record - 1); /* not aligned */
            break;
        case 3:
            c.publish(two + page); /* not mapped */
            break;
        case 4:
            c.publish((const void *)(uintptr_t)1);
            break;
        case 5:
            c.publish((const void *)(uintptr_t)UINT64_MAX);
            break;
        default:
            memset(record + 16, 0, 8); /* a trace without a span */
        }
        otel_thread_read(&read);
        assert_true(is_empty(&read));
    }
    /* Attributes that lie outside of memory: the ids count. */
    make_record(record, 0x11);
    record[SIZE] = 9;
    c.publish(record);
    otel_thread_read(&read);
    assert_int_equal(read.trace[0], 0x11);
    assert_int_equal(read.attribute_bytes, 0);
    c.publish(NULL);
    forget(&v);
    munmap(two, 2 * page);
    dlclose(c.library);
}

static void only_whole_attributes_are_kept(void **state)
{
    struct client c = open_client(CLIENT_DESCRIPTOR);
    struct imports_variables v = look();
    unsigned char record[700] __attribute__((aligned(2)));
    struct otel_thread read;
    memset(record, 0, sizeof(record));
    make_record(record, 0x11);
    memcpy(record + HEAD, "\0\3abc\1\0\2\5wxyz", 13); /* the last one lacks a byte */
    record[SIZE] = 13;
    c.publish(record);
    otel_thread_read(&read);
    assert_int_equal(read.attribute_bytes, 7);
    assert_memory_equal(read.attributes, "\0\3abc\1\0\0\0\0\0\0\0", 13);
    /* Longer than a sample keeps: those in front are kept. */
    memset(record + HEAD, 'x', 600);
    record[HEAD] = 0;
    record[HEAD + 1] = 100;
    record[HEAD + 102] = 1;
    record[HEAD + 103] = 100;
    record[SIZE] = 204;
    otel_thread_read(&read);
    assert_int_equal(read.attribute_bytes, 102);
    assert_int_equal(read.attributes[101], 'x');
    assert_int_equal(read.attributes[102], 0);
    c.publish(NULL);
    forget(&v);
    dlclose(c.library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_library_there_is_nothing),
        cmocka_unit_test(each_way_of_the_compiler_to_the_variable_is_known),
        cmocka_unit_test(a_library_without_room_in_the_static_block_has_blocks_of_its_own),
        cmocka_unit_test(a_library_that_publishes_stays_loaded_while_it_is_read),
        cmocka_unit_test(what_is_no_valid_record_is_none),
        cmocka_unit_test(only_whole_attributes_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
