/*
 * poison.h - forced into every file of src/safe/ by the build (-include).
 *
 * Code that runs in a signal handler must not allocate, lock, or use stdio. The names below become
 * errors as soon as code uses them, or includes a header that declares them. (Names that string.h
 * and the kernel's headers declare cannot be listed here; the allow list of symbols catches those.)
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#pragma GCC poison malloc calloc realloc free posix_memalign aligned_alloc
#pragma GCC poison printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf puts fputs
#pragma GCC poison fopen fclose fread fwrite fflush perror
#pragma GCC poison pthread_mutex_lock pthread_mutex_unlock pthread_cond_wait pthread_cond_signal
#pragma GCC poison dlsym dlopen dladdr exit atexit longjmp siglongjmp setjmp sigsetjmp
