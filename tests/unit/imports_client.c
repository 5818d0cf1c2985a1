/*
 * imports_client.c - a library that imports getppid() in each way that there is: by a call, by its
 * address, and in tables of constants and of data. With -DCALLS it only calls: the linker binds
 * such a slot lazily only if nobody asks for the address. SPDX-License-Identifier: Apache-2.0
 */
#include <sys/types.h>
#include <unistd.h>

/* The tree is built with hidden symbols. */
#pragma GCC visibility push(default)

#ifndef CALLS
extern pid_t (*const imports_client_constant[])(void);
pid_t (*const imports_client_constant[])(void) = {getppid};
extern pid_t (*imports_client_data[])(void);
pid_t (*imports_client_data[])(void) = {getppid};
#endif

#ifdef OWN
/* Without RTLD_DEEPBIND the library uses libc's all the same. */
pid_t getppid(void)
{
    return -7;
}
#endif

int imports_client_call(void);
int imports_client_call(void)
{
    return (int)getppid();
}

#ifdef CALLS
int imports_client_address(void);
int imports_client_address(void)
{
    return (int)getppid();
}

int imports_client_tables(void);
int imports_client_tables(void)
{
    return (int)getppid();
}
#else
int imports_client_address(void);
int imports_client_address(void)
{
    pid_t (*volatile function)(void) = getppid;
    return (int)function();
}

int imports_client_tables(void);
int imports_client_tables(void)
{
    pid_t (*const volatile *constant)(void) = imports_client_constant;
    pid_t (*volatile * data)(void) = imports_client_data;
    return (int)(constant[0]() == data[0]() ? data[0]() : 0);
}
#endif
