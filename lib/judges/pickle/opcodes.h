/* The 68 opcodes: formats/pickle, section 2.
 * X(code, name, protocol that brought it, bytes of the opcode and its argument's fixed part).
 * The fixed part is the whole argument, or the length before a counted one, or nothing before a line. */
#pragma once

#include <stdint.h>

#define PICKLE_OPCODES(X)               \
	X(0x28, MARK, 0, 1)             \
	X(0x29, EMPTY_TUPLE, 1, 1)      \
	X(0x2e, STOP, 0, 1)             \
	X(0x30, POP, 0, 1)              \
	X(0x31, POP_MARK, 1, 1)         \
	X(0x32, DUP, 0, 1)              \
	X(0x42, BINBYTES, 3, 5)         \
	X(0x43, SHORT_BINBYTES, 3, 2)   \
	X(0x46, FLOAT, 0, 1)            \
	X(0x47, BINFLOAT, 1, 9)         \
	X(0x49, INT, 0, 1)              \
	X(0x4a, BININT, 1, 5)           \
	X(0x4b, BININT1, 1, 2)          \
	X(0x4c, LONG, 0, 1)             \
	X(0x4d, BININT2, 1, 3)          \
	X(0x4e, NONE, 0, 1)             \
	X(0x50, PERSID, 0, 1)           \
	X(0x51, BINPERSID, 1, 1)        \
	X(0x52, REDUCE, 0, 1)           \
	X(0x53, STRING, 0, 1)           \
	X(0x54, BINSTRING, 1, 5)        \
	X(0x55, SHORT_BINSTRING, 1, 2)  \
	X(0x56, UNICODE, 0, 1)          \
	X(0x58, BINUNICODE, 1, 5)       \
	X(0x5d, EMPTY_LIST, 1, 1)       \
	X(0x61, APPEND, 0, 1)           \
	X(0x62, BUILD, 0, 1)            \
	X(0x63, GLOBAL, 0, 1)           \
	X(0x64, DICT, 0, 1)             \
	X(0x65, APPENDS, 1, 1)          \
	X(0x67, GET, 0, 1)              \
	X(0x68, BINGET, 1, 2)           \
	X(0x69, INST, 0, 1)             \
	X(0x6a, LONG_BINGET, 1, 5)      \
	X(0x6c, LIST, 0, 1)             \
	X(0x6f, OBJ, 1, 1)              \
	X(0x70, PUT, 0, 1)              \
	X(0x71, BINPUT, 1, 2)           \
	X(0x72, LONG_BINPUT, 1, 5)      \
	X(0x73, SETITEM, 0, 1)          \
	X(0x74, TUPLE, 0, 1)            \
	X(0x75, SETITEMS, 1, 1)         \
	X(0x7d, EMPTY_DICT, 1, 1)       \
	X(0x80, PROTO, 2, 2)            \
	X(0x81, NEWOBJ, 2, 1)           \
	X(0x82, EXT1, 2, 2)             \
	X(0x83, EXT2, 2, 3)             \
	X(0x84, EXT4, 2, 5)             \
	X(0x85, TUPLE1, 2, 1)           \
	X(0x86, TUPLE2, 2, 1)           \
	X(0x87, TUPLE3, 2, 1)           \
	X(0x88, NEWTRUE, 2, 1)          \
	X(0x89, NEWFALSE, 2, 1)         \
	X(0x8a, LONG1, 2, 2)            \
	X(0x8b, LONG4, 2, 5)            \
	X(0x8c, SHORT_BINUNICODE, 4, 2) \
	X(0x8d, BINUNICODE8, 4, 9)      \
	X(0x8e, BINBYTES8, 4, 9)        \
	X(0x8f, EMPTY_SET, 4, 1)        \
	X(0x90, ADDITEMS, 4, 1)         \
	X(0x91, FROZENSET, 4, 1)        \
	X(0x92, NEWOBJ_EX, 4, 1)        \
	X(0x93, STACK_GLOBAL, 4, 1)     \
	X(0x94, MEMOIZE, 4, 1)          \
	X(0x95, FRAME, 4, 9)            \
	X(0x96, BYTEARRAY8, 5, 9)       \
	X(0x97, NEXT_BUFFER, 5, 1)      \
	X(0x98, READONLY_BUFFER, 5, 1)

enum pickle_opcode {
#define X(code, name, protocol, head) OP_##name = (code),
	PICKLE_OPCODES(X)
#undef X
};

struct pickle_opcode_row {
	const char *name; /* NULL: no opcode */
	uint8_t protocol;
	uint8_t head; /* 1 where there is no opcode, so that the byte is looked at */
};

/* By opcode. */
extern const struct pickle_opcode_row pickle_opcode_rows[256];
