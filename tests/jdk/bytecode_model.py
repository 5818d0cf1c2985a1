"""The methods of class files, and where control may go from each instruction of theirs: a model that the VM is compared with.

SPDX-License-Identifier: Apache-2.0
"""
import struct

LENGTHS = {16: 2, 17: 3, 18: 2, 19: 3, 20: 3, 132: 3, 169: 2, 185: 5, 186: 5, 188: 2, 197: 4, 200: 5, 201: 5}
LENGTHS.update({op: 2 for op in [*range(21, 26), *range(54, 59)]})
LENGTHS.update({op: 3 for op in [*range(153, 169), *range(178, 185), 187, 189, 192, 193, 198, 199]})
CONDITIONS = {*range(153, 167), 198, 199}
GOTO, JSR, RET, TABLESWITCH, LOOKUPSWITCH, GOTO_W, JSR_W, WIDE, IINC, ATHROW = 167, 168, 169, 170, 171, 200, 201, 196, 132, 191
RETURNS = range(172, 178)
# What may run other methods of the program: calls, and what may initialise or look up a class.
CALLS = {*range(18, 21), *range(178, 187), 187, 189, 192, 193, 197}
CONSTANT_BYTES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}


class Method:
    """Code, and handlers as (start, end, handler)."""
    def __init__(self, code, handlers):
        self.code, self.handlers = code, handlers
        self.returns_to = set()    # behind each jsr
        for at in self.places():
            if code[at] in (JSR, JSR_W):
                self.returns_to.add(at + self.length(at))

    def s2(self, at):
        return struct.unpack_from(">h", self.code, at)[0]

    def s4(self, at):
        return struct.unpack_from(">i", self.code, at)[0]

    def length(self, at):
        op, words = self.code[at], (at + 4) & ~3
        if op == WIDE:
            return 6 if self.code[at + 1] == IINC else 4
        if op == TABLESWITCH:
            return words + 12 + 4 * (self.s4(words + 8) - self.s4(words + 4) + 1) - at
        if op == LOOKUPSWITCH:
            return words + 8 + 8 * self.s4(words + 4) - at
        return LENGTHS.get(op, 1)

    def places(self):
        at = 0
        while at < len(self.code):
            yield at
            at += self.length(at)

    def switch(self, at, info):
        """The target of a switch that an event says the outcome of, which must be a possible one."""
        words = (at + 4) & ~3
        if self.code[at] == TABLESWITCH:
            key, low, high = info[:3]
            assert (low, high) == (self.s4(words + 4), self.s4(words + 8))
            return at + self.s4(words + 12 + 4 * (key - low) if low <= key <= high else words)
        index, total, default = info[:3]
        assert total == self.s4(words + 4) and 0 <= index <= total and default & 0xff == (index == total)
        return at + self.s4(words + 12 + 8 * index if index < total else words)

    def next(self, at, info):
        """Where control goes from an instruction that throws nothing; None: out of the method."""
        op = self.code[at]
        if op in CONDITIONS:
            assert info[3] in (0, 1)
            return {at + self.s2(at + 1) if info[3] else at + 3}
        if op in (GOTO, JSR):
            return {at + self.s2(at + 1)}
        if op in (GOTO_W, JSR_W):
            return {at + self.s4(at + 1)}
        if op in (TABLESWITCH, LOOKUPSWITCH):
            return {self.switch(at, info)}
        if op == RET or (op == WIDE and self.code[at + 1] == RET):
            return self.returns_to
        return None if op in RETURNS or op == ATHROW else {at + self.length(at)}

    def caught_at(self, at):
        return {handler for start, end, handler in self.handlers if start <= at < end}


def read_class(path):
    """The name of a class, and its methods by name and descriptor."""
    data = path.read_bytes()
    at, texts, classes, index = 10, {}, {}, 1
    count, = struct.unpack_from(">H", data, 8)
    while index < count:
        tag = data[at]
        if tag == 1:
            size, = struct.unpack_from(">H", data, at + 1)
            texts[index] = data[at + 3:at + 3 + size].decode("utf-8", "surrogateescape")
            at += size + 2
        else:
            if tag == 7:
                classes[index], = struct.unpack_from(">H", data, at + 1)
            at += CONSTANT_BYTES[tag]
        at += 1
        index += 2 if tag in (5, 6) else 1
    this, interfaces = struct.unpack_from(">2xH2xH", data, at)
    at += 8 + 2 * interfaces
    methods = {}
    for kind in ("fields", "methods"):
        members, = struct.unpack_from(">H", data, at)
        at += 2
        for _ in range(members):
            name, desc, attributes = struct.unpack_from(">2xHHH", data, at)
            at += 8
            for _ in range(attributes):
                attribute, size = struct.unpack_from(">HI", data, at)
                if kind == "methods" and texts[attribute] == "Code":
                    length, = struct.unpack_from(">I", data, at + 10)
                    code = data[at + 14:at + 14 + length]
                    handlers, = struct.unpack_from(">H", data, at + 14 + length)
                    methods[texts[name] + texts[desc]] = Method(code, [
                        struct.unpack_from(">HHH", data, at + 16 + length + 8 * i) for i in range(handlers)])
                at += 6 + size
    return texts[classes[this]], methods


class Walk:
    """One thread: frames, the innermost last, each the method and the instruction that it is at, with the event's numbers.
    With `is_known` false, frames that were there before the first event may go on."""
    def __init__(self, methods, is_known=True):
        self.methods, self.frames, self.count, self.is_known = methods, [], 0, is_known

    def can_leave(self):
        """Whether the innermost frame may end here, by a return or by what it throws."""
        key, at, _ = self.frames[-1]
        return self.methods[key].code[at] not in CONDITIONS | {GOTO, GOTO_W, TABLESWITCH, LOOKUPSWITCH}

    def step(self, key, at, info):
        """The thread is at an instruction. It must be one that the model allows after the last."""
        method = self.methods[key]
        assert at in set(method.places()), (key, at)
        self.count += 1
        if self.frames:
            top, where, before = self.frames[-1]
            follows = self.methods[top].next(where, before)
            if key == top and follows is not None and at in follows:
                self.frames[-1] = (key, at, info)
                return
            if at == 0 and self.methods[top].code[where] in CALLS:
                self.frames.append((key, at, info))
                return
            is_return = follows is None and self.methods[top].code[where] != ATHROW
            assert self.can_leave(), (top, where, before, "then", key, at)
            if not is_return and key == top and at in method.caught_at(where):
                self.frames[-1] = (key, at, info)
                return
            self.frames.pop()
            self.unwind(key, at, info, is_return)
            return
        assert at == 0 or not self.is_known, (key, at)
        self.frames.append((key, at, info))

    def unwind(self, key, at, info, is_return):
        """Out of a frame: the caller goes on or catches, or, where other code called, there is another call."""
        depth = len(self.frames)
        while depth > 0:
            top, where, before = self.frames[depth - 1]
            follows = self.methods[top].next(where, before) or set()
            if key == top and at in (follows if is_return else self.methods[top].caught_at(where)):
                del self.frames[depth:]
                self.frames[-1] = (key, at, info)
                return
            if at == 0 and self.methods[top].code[where] in CALLS:
                del self.frames[depth:]
                self.frames.append((key, at, info))
                return
            # A method that is not written down may have caught, or may return to the next frame out.
            if key == top and at in follows | self.methods[top].caught_at(where):
                del self.frames[depth:]
                self.frames[-1] = (key, at, info)
                return
            assert not is_return or not self.is_known, (top, where, "then", key, at)
            depth -= 1
        assert at == 0 or not self.is_known, (key, at)
        self.frames[:] = [(key, at, info)]
