/*
 * net_command.h - the commands that come over a net= socket: bytes in, commands out, and back.
 *
 * A command is a u1 tag, u4 sequence number, u4 length and a body of that length, big-endian; the
 * tag 0xff stands alone and ends them. The agent reads them, `hprof listen` writes them. The bytes
 * come from outside: any input is legal here. Layout: docs/format/hprof-socket.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum net_command_tag {
    NET_COMMAND_GC = 0x01,
    NET_COMMAND_HEAP_DUMP = 0x02,
    NET_COMMAND_SITES = 0x03,
    NET_COMMAND_HEAP_SUMMARY = 0x04,
    NET_COMMAND_EXIT = 0x05,
    NET_COMMAND_TRACES = 0x06,
    NET_COMMAND_SAMPLES = 0x07,
    NET_COMMAND_CONTROL = 0x08,
    NET_COMMAND_END = 0xff,
};

/** What a control command switches. */
enum net_command_op {
    NET_COMMAND_ALLOC_ON = 1,
    NET_COMMAND_ALLOC_OFF = 2,
    NET_COMMAND_SAMPLING_ON = 3,
    NET_COMMAND_SAMPLING_OFF = 4,
    NET_COMMAND_CLEAR_SAMPLES = 5,
    NET_COMMAND_CLEAR_SITES = 6, /* read as NET_COMMAND_SET_DEPTH where it has an operand */
    NET_COMMAND_SET_DEPTH = 7,
};

enum {
    NET_COMMAND_HEAD = 9,  /* tag, sequence number, length */
    NET_COMMAND_BODY = 10, /* the longest body of a known command */
    NET_COMMAND_MAX = NET_COMMAND_HEAD + NET_COMMAND_BODY,
    NET_COMMAND_SKIP_MAX = 65536, /* a longer body is no command: the bytes are garbage */
};

struct net_command {
    uint8_t tag;
    uint32_t sequence;
    uint16_t flags;  /* sites */
    float cutoff;    /* sites, samples: a fraction, 0 or more */
    uint16_t op;     /* control: enum net_command_op */
    uint64_t thread; /* sampling on and off: the thread object's id in files, 0 all */
    uint16_t depth;
};

enum net_command_result {
    NET_COMMAND_MORE,    /* the command goes on in bytes that have not come yet */
    NET_COMMAND_WHOLE,   /* here it is */
    NET_COMMAND_UNKNOWN, /* no such tag or control; its body is passed over */
    NET_COMMAND_SHORT,   /* the body is shorter than its command's; passed over */
    NET_COMMAND_LAST,    /* the end of all commands; nothing may follow */
    NET_COMMAND_GARBAGE, /* these are no commands; nothing that follows can be found */
};

/** The state of one reading; all zero at first. */
struct net_command_reader {
    unsigned char bytes[NET_COMMAND_MAX];
    uint32_t used;
    uint32_t skip;   /* bytes of a body that nobody wants */
    uint8_t is_over; /* LAST or GARBAGE has been said */
};

/**
 * Look at `len` more bytes and stop behind the first command that they complete, or at the end.
 *
 * Returns how many bytes were taken. *ret is filled for WHOLE, and its tag, and op where that is
 * the reason, for UNKNOWN and SHORT. What a body has more than its command needs is passed over.
 * Context: any.
 */
size_t net_command_read(struct net_command_reader *r, const unsigned char *bytes, size_t len,
                        struct net_command *ret, enum net_command_result *ret_result);

/** The bytes of a command whose tag and op are known; returns how many. Context: any. */
size_t net_command_write(const struct net_command *c, unsigned char to[NET_COMMAND_MAX]);
