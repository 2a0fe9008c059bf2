/* print_events [-o] [-p PIECE] [FILE]: what the pickle machine sees in a file, as text: for debugging, and for the
 * comparison with CPython (test_differential.py).  Without FILE, standard input holds streams, each behind its length
 * (4 bytes, little-endian).
 *
 *	-o: the opcodes too; the bytes are then fed one by one
 *	-p: bytes a piece */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"

#define DEPTH_SHOWN 6
#define ITEMS_SHOWN 8

static const char *const end_names[] = { "running", "stopped", "paused", "truncated", "opcode-unknown",
	"stack-underflow", "mark-missing", "memo-missing", "argument", "length", "type", "limit-opcodes", "limit-stack",
	"limit-memory", "limit-work" };
static const char *const act_names[] = {
	[PICKLE_ACT_IMPORT] = "import",
	[PICKLE_ACT_CALL] = "call",
	[PICKLE_ACT_NEW] = "new",
	[PICKLE_ACT_BUILD] = "build",
	[PICKLE_ACT_MUTATE] = "mutate",
	[PICKLE_ACT_PERSID] = "persid",
	[PICKLE_ACT_EXT] = "ext",
	[PICKLE_ACT_ENTRY] = "entry",
	[PICKLE_ACT_BUFFER] = "buffer",
	[PICKLE_ACT_NOTE] = "note",
	[PICKLE_ACT_STOP] = "stop",
};
static const char *const note_names[PICKLE_N_NOTES] = { "protocol", "frame", "stack-leftover", "memo-index",
	"int-digits", "float-nonfinite", "depth", "expansion", "nonascii-string", "number-text", "opcode-protocol",
	"callee-held", "state-changed", "load-time", "load-memory" };
static const char *const kind_names[] = { "unknown", "none", "bool", "int", "big-int", "float", "str", "bytes",
	"bytearray", "tuple", "list", "dict", "set", "frozenset", "global", "object", "persistent", "extension",
	"buffer" };

static void print_bytes(struct bytes b)
{
	putchar('\'');
	for (size_t i = 0; i < b.n; i++) {
		if (b.at[i] < 0x20 || b.at[i] >= 0x7f || b.at[i] == '\'' || b.at[i] == '\\')
			printf("\\x%02x", b.at[i]);
		else
			putchar(b.at[i]);
	}
	putchar('\'');
}

static void print_value(const struct pickle *p, pickle_value v, unsigned depth);

static void print_items(const struct pickle *p, pickle_value v, unsigned depth)
{
	uint64_t n = pickle_count(p, v);
	pickle_value key, value;

	printf("%s(", kind_names[pickle_kind(p, v)]);
	for (uint64_t i = 0; i < n && i < ITEMS_SHOWN && depth < DEPTH_SHOWN; i++) {
		printf(i > 0 ? ", " : "");
		if (pickle_kind(p, v) != PICKLE_DICT) {
			print_value(p, pickle_item(p, v, i), depth + 1);
		} else if (pickle_pair(p, v, i, &key, &value)) {
			print_value(p, key, depth + 1);
			printf(": ");
			print_value(p, value, depth + 1);
		}
	}
	printf("; %llu)", (unsigned long long)n);
}

static void print_global(const struct pickle *p, pickle_value v)
{
	struct bytes module, name, new_module, new_name;

	if (!pickle_global(p, v, &module, &name) || !pickle_global_mapped(p, v, &new_module, &new_name))
		return;
	print_bytes(module);
	putchar('.');
	print_bytes(name);
	if (bytes_equal(module, new_module) && bytes_equal(name, new_name))
		return;
	printf("->");
	print_bytes(new_module);
	putchar('.');
	print_bytes(new_name);
}

static void print_value(const struct pickle *p, pickle_value v, unsigned depth)
{
	struct bytes a;
	uint64_t n;
	int64_t number;
	bool truth;

	switch (pickle_kind(p, v)) {
	case PICKLE_BOOL: printf(pickle_bool(p, v, &truth) && truth ? "True" : "False"); break;
	case PICKLE_INT:
		if (pickle_int(p, v, &number))
			printf("%lld", (long long)number);
		break;
	case PICKLE_STR:
	case PICKLE_BYTES:
	case PICKLE_BYTEARRAY:
		printf("%s", kind_names[pickle_kind(p, v)]);
		if (pickle_head(p, v, &a, &n)) {
			print_bytes(a);
			if (a.n != n)
				printf("...%llu", (unsigned long long)n);
		}
		break;
	case PICKLE_TUPLE:
	case PICKLE_LIST:
	case PICKLE_DICT:
	case PICKLE_SET:
	case PICKLE_FROZENSET: print_items(p, v, depth); break;
	case PICKLE_GLOBAL: print_global(p, v); break;
	case PICKLE_OBJECT:
		printf("object of ");
		if (depth < DEPTH_SHOWN)
			print_value(p, pickle_callee(p, v), depth + 1);
		break;
	default: printf("%s", kind_names[pickle_kind(p, v)]);
	}
}

static void print_operand(const struct pickle *p, const char *name, pickle_value v)
{
	if (v == PICKLE_NO_VALUE)
		return;
	printf(" %s=", name);
	print_value(p, v, 0);
	if (!pickle_inert(p, v))
		printf("!");
}

static void print_event(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	(void)ctx;
	printf("%llu %s %s", (unsigned long long)e->offset, pickle_opcode_name(e->opcode), act_names[e->act]);
	if (e->act == PICKLE_ACT_NOTE)
		printf(" %s %llu", note_names[e->note], (unsigned long long)e->number);
	print_operand(p, "target", e->target);
	print_operand(p, "key", e->key);
	print_operand(p, "args", e->args);
	print_operand(p, "kwargs", e->kwargs);
	putchar('\n');
}

/* The machine is fed from exact-size copies, so that a sanitizer sees a read past a piece. */
static uint64_t feed_copy(struct pickle *p, const uint8_t *at, size_t n, uint64_t offset)
{
	uint8_t *copy = malloc(n);
	uint64_t next;

	if (copy == NULL)
		abort();
	memcpy(copy, at, n);
	next = pickle_feed(p, copy, n, offset);
	free(copy);
	return next;
}

static void walk(const uint8_t *at, size_t n, size_t piece, bool opcodes)
{
	struct arena arena;
	struct pickle_options o = {
		.size = n, .opcodes_max = UINT64_MAX, .seed = { .k0 = 1, .k1 = 2 }, .event = print_event
	};
	struct pickle *p;
	uint64_t offset = 0, seen = 0;

	arena_init(&arena, SIZE_MAX);
	p = pickle_new(&arena, &o);
	pickle_begin(p, 0);
	while (offset < n) {
		size_t here = piece < n - offset ? piece : (size_t)(n - offset);

		offset = feed_copy(p, at + offset, here, offset);
		if (opcodes && p->opcodes > seen)
			printf("%llu %s\n", (unsigned long long)p->op_offset, pickle_opcode_name(p->op));
		seen = p->opcodes;
	}
	pickle_finish(p);
	printf("end %s %llu\n", end_names[pickle_ended(p)], (unsigned long long)pickle_position(p));
	arena_done(&arena);
}

static int walk_streams(size_t piece, bool opcodes)
{
	uint8_t length[4];

	while (fread(length, 1, sizeof(length), stdin) == sizeof(length)) {
		uint32_t n = load_u32le(length);
		uint8_t *data = malloc(n > 0 ? n : 1);

		if (data == NULL || fread(data, 1, n, stdin) != n)
			return 1;
		walk(data, n, piece, opcodes);
		free(data);
	}
	return 0;
}

static int walk_file(const char *path, size_t piece, bool opcodes)
{
	FILE *f = fopen(path, "rbe");
	uint8_t *data;
	long n;

	if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0) {
		perror(path);
		return 1;
	}
	rewind(f);
	data = malloc(n > 0 ? (size_t)n : 1);
	if (data == NULL || fread(data, 1, (size_t)n, f) != (size_t)n)
		return 1;
	walk(data, (size_t)n, piece, opcodes);
	free(data);
	fclose(f);
	return 0;
}

int main(int argc, char **argv)
{
	size_t piece = 65536;
	bool opcodes = false;
	int option;

	while ((option = getopt(argc, argv, "op:")) != -1) {
		if (option == 'o')
			opcodes = true;
		else if (option == 'p')
			piece = strtoul(optarg, NULL, 10);
		else
			return 4;
	}
	if (opcodes)
		piece = 1;
	if (piece == 0)
		return 4;
	return optind < argc ? walk_file(argv[optind], piece, opcodes) : walk_streams(piece, opcodes);
}
