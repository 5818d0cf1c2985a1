/*
 * imports_variable_client.c - a library that publishes thread contexts (safe/otel_thread.h). With
 * -DBLOCK_BYTES=N its thread-local storage finds no room in the static block of the threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma GCC visibility push(default)

extern __thread const void *volatile otel_thread_ctx_v1;
__thread const void *volatile otel_thread_ctx_v1;

#ifdef BLOCK_BYTES
extern __thread volatile char client_block[BLOCK_BYTES];
__thread volatile char client_block[BLOCK_BYTES] = {1};
#endif

void client_publish(const void *record);
void client_publish(const void *record)
{
    otel_thread_ctx_v1 = record;
}
