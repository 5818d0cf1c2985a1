/*
 * net_command.h - the commands that come over a net= socket: reads and writes their bytes.
 *
 * A command is a u1 tag, a u4 sequence number, a u4 length and a body of that length, big-endian.
 * The tag 0xff stands alone and ends the commands. The agent reads commands, `hprof listen` writes
 * them. The bytes come from outside, so any input is legal here. Layout:
 * docs/format/hprof-socket.md.
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

/** The operation of a control command. */
enum net_command_op {
    NET_COMMAND_ALLOC_ON = 1,
    NET_COMMAND_ALLOC_OFF = 2,
    NET_COMMAND_SAMPLING_ON = 3,
    NET_COMMAND_SAMPLING_OFF = 4,
    NET_COMMAND_CLEAR_SAMPLES = 5,
    NET_COMMAND_CLEAR_SITES = 6, /* with an operand it is read as NET_COMMAND_SET_DEPTH */
    NET_COMMAND_SET_DEPTH = 7,
};

enum {
    NET_COMMAND_HEAD = 9,  /* tag, sequence number, length */
    NET_COMMAND_BODY = 10, /* the longest body of a known command */
    NET_COMMAND_MAX = NET_COMMAND_HEAD + NET_COMMAND_BODY,
    NET_COMMAND_SKIP_MAX = 65536, /* a longer body cannot be a command: the bytes are garbage */
};

struct net_command {
    uint8_t tag;
    uint32_t sequence;
    uint16_t flags; /* only sites and samples */
    float cutoff;   /* only sites and samples: a fraction, 0 or more */
    uint16_t op;    /* only control: enum net_command_op */
    /* Only sampling on and off: the id of the thread object in the file; 0: all threads. */
    uint64_t thread;
    uint16_t depth;
};

enum net_command_result {
    NET_COMMAND_MORE,    /* the command goes on in bytes that have not come yet */
    NET_COMMAND_WHOLE,   /* the command is complete */
    NET_COMMAND_UNKNOWN, /* no such tag or control; its body is skipped */
    NET_COMMAND_SHORT,   /* the body is shorter than the command needs; it is skipped */
    NET_COMMAND_LAST,    /* the end of all commands; nothing may follow */
    NET_COMMAND_GARBAGE, /* the bytes are no commands, and no later command can be found */
};

/** The state of one reading; all zero at first. */
struct net_command_reader {
    unsigned char bytes[NET_COMMAND_MAX];
    uint32_t used;
    uint32_t skip;   /* bytes of a body that are to be skipped */
    uint8_t is_over; /* LAST or GARBAGE was returned */
};

/**
 * Look at `len` more bytes, up to the end of the first command that they complete.
 *
 * Returns how many bytes were taken. For WHOLE, *ret is filled. For UNKNOWN and SHORT its tag is
 * filled, and its op if that is the reason. Bytes of a body that the command does not need are
 * skipped. Context: any.
 */
size_t net_command_read(struct net_command_reader *r, const unsigned char *bytes, size_t len,
                        struct net_command *ret, enum net_command_result *ret_result);

/** Writes a command whose tag and op are known. Returns the number of its bytes. Context: any. */
size_t net_command_write(const struct net_command *c, unsigned char to[NET_COMMAND_MAX]);
