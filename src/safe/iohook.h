/*
 * iohook.h - from a call of read(), connect() or their like to an event in the ring.
 *
 * The hooks of these functions (agent/io) call the functions below on any thread of the process, as
 * hookwalk.h says; nothing here allocates, takes a lock, waits, or asks the VM.
 *
 * What is an event. A call whose time reaches the threshold puts a sample into the ring, with its
 * stack and with the path or the peer of its descriptor. A shorter call is added to sums. A call
 * that failed because it would have had to wait (EAGAIN) is neither.
 *
 * The time of a call includes the wait for it. If a thread asks poll() for one descriptor and then
 * calls a function for the same descriptor within IOHOOK_GAP_MS, the time begins with poll(); a
 * call that a signal has interrupted begins with its first try. A connect() that does not wait
 * (EINPROGRESS) ends when poll() tells the thread of its outcome. A poll() for input that timed out
 * is a read of 0 bytes, if its descriptor is a connected socket.
 *
 * Re-entry. A library that stands in front of libc calls the function of the same name. Only the
 * outermost call for a descriptor counts: a thread notes the descriptor and the frame of the hook
 * that it is in; a hook for the same descriptor with a frame below that address (the stack grows
 * down) is an inner one. A signal handler that interrupts a read and writes elsewhere is no inner
 * call. If longjmp() left a call, its note is replaced by the next hook with a higher frame.
 *
 * What is read: the thread's own struct in thread-local storage that never allocates
 * (base/own_tls.h); arguments of the call, after the kernel has read or written the same memory
 * with success; the ring, which is not unmapped while a thread is counted in `inside`; and what
 * hookwalk.h reads. What is written: that struct, the ring, the sums. The path and the peer are
 * asked of the kernel by the number of the descriptor when the call has returned. If another thread
 * has closed the descriptor meanwhile, they may be those of its next use.
 *
 * Context of everything here: signal, unless said otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "safe/clock.h"
#include "safe/hookring.h"

enum {
    IOHOOK_NAME = 4096, /* the longest path; a peer has at most IOHOOK_PEER bytes */
    IOHOOK_PEER = 128,
    IOHOOK_INET_PEER = 28, /* struct sockaddr_in6 */
    IOHOOK_STRIPES = 64,
    IOHOOK_PEERS = 64,
    IOHOOK_GAP_MS = 100,
};

enum iohook_op {
    IOHOOK_READ,
    IOHOOK_WRITE,
    IOHOOK_CONNECT,
    IOHOOK_ACCEPT,
    IOHOOK_FORCE,    /* fsync() and its like */
    IOHOOK_TRANSFER, /* from one descriptor to another; its sample is a write, or of a pipe a read
                      */
};

/** One record of the ring: a call. */
struct iohook_sample {
    uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
    uint64_t bytes;
    uint32_t timeout_ms; /* of the poll() before; 0: none */
    uint16_t name_bytes; /* behind the frames: a struct sockaddr, or a path */
    uint8_t op;          /* enum iohook_op, but IOHOOK_TRANSFER */
    bool is_socket;
    bool is_end;        /* a read of 0 bytes that has not failed */
    bool with_metadata; /* of IOHOOK_FORCE: the file's times and length, too */
    struct hookring_stack stack;
    struct walk_frame frames[];
};

/** How many calls, and what they were together. */
struct iohook_sums {
    _Atomic uint64_t calls, ns, read, written;
};

/** Sums of a part of the threads, in a cache line of their own. */
struct iohook_stripe {
    _Alignas(64) struct iohook_sums of;
};

/** The address to which a descriptor is being connected. There are few at a time; of two that meet
 * in one row only one is kept. */
struct iohook_peer {
    _Atomic int32_t fd; /* plus 1; 0: free; -1: a thread is reading or writing the row */
    uint32_t bytes;
    unsigned char address[IOHOOK_INET_PEER];
};

/** Everything that hooks need; set up once, kept for ever. */
struct iohook {
    struct hookring base;
    _Atomic uint64_t threshold_ns; /* shorter calls are only added to `shorter` */
    _Atomic uint32_t per_second;   /* samples at most; UINT32_MAX: any number */
    _Atomic uint64_t second;       /* the present second, and its samples so far */
    _Atomic uint32_t taken;
    struct iohook_sums throttled, lost; /* above `per_second`; without room in the ring */
    struct iohook_stripe shorter[IOHOOK_STRIPES];
    struct iohook_peer peers[IOHOOK_PEERS];
};

extern struct iohook iohook;

enum iohook_wait {
    IOHOOK_NO_WAIT,
    IOHOOK_READY,       /* poll() has said that the descriptor is ready */
    IOHOOK_INTERRUPTED, /* a signal has ended the wait, which will go on */
    IOHOOK_CONNECTING,
};

/** What a thread keeps. Descriptors are stored plus 1; 0: none. */
struct iohook_own {
    uintptr_t inside;  /* frame of the hook that the thread is in; 0: none */
    uint64_t since_ns; /* when the wait began */
    int32_t fd;        /* descriptor of the hook */
    int32_t waited;    /* descriptor of the wait */
    uint32_t timeout_ms;
    uint32_t wait_ms : 30; /* how long the wait was */
    uint32_t wait : 2;     /* enum iohook_wait */
};

extern __thread struct iohook_own iohook_own;

/** One call, from its begin to its end. */
struct iohook_call {
    uint64_t start_ns;
    uintptr_t outer; /* the note of the call around it */
    int32_t outer_fd;
    int32_t fd;
};

/** What a call has done. */
struct iohook_done {
    enum iohook_op op;
    int32_t from;     /* of IOHOOK_TRANSFER and IOHOOK_ACCEPT: the other descriptor */
    int64_t result;   /* below 0: it failed, and errno says why */
    uint64_t bytes;   /* 0 if it failed */
    const void *peer; /* an address that the call was given or has returned; NULL: none */
    uint32_t peer_bytes;
    bool needs_peer; /* it is no event if the descriptor has no peer */
    bool with_metadata;
};

/** How many bytes the longest sample has. Context: any. */
size_t iohook_sample_bytes(uint32_t depth);

/** A hook for the descriptor begins. `frame` is its frame. Returns false: the call does not count.
 */
bool iohook_begin(struct iohook_call *call, int32_t fd, uintptr_t frame);
/** The hook ends that iohook_begin() has let in. Keeps errno. */
void iohook_end(const struct iohook_call *call, const struct iohook_done *done,
                const struct hookwalk_caller *caller);
/** poll() for one descriptor has returned `result`. Keeps errno. */
void iohook_polled(struct iohook_call *call, int32_t fd, bool for_input, int timeout_ms,
                   int64_t result, const struct hookwalk_caller *caller);
/** poll() for another number of descriptors has returned: the hook ends. */
void iohook_leave(const struct iohook_call *call);
