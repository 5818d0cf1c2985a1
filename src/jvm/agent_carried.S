/*
 * agent_carried.S - the agent library as data of the command, for agent_place.c. The build defines
 * LIBRARY, the path of the file.
 * SPDX-License-Identifier: Apache-2.0
 */
    .section .rodata
    .balign 16
    .global agent_carried_bytes
    .global agent_carried_end
agent_carried_bytes:
    .incbin LIBRARY
agent_carried_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
