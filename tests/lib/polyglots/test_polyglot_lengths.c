/* test_polyglot_lengths [all]: honest safetensors headers of every length from 2 to 70,000 are nothing else.  The length is
 * a file's first eight bytes, so this is every beginning such a file has; what follows are names as models have them.
 * Without "all", a sample and the lengths that spell something. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_scan.h"

#define LENGTH_MIN 2u
#define LENGTH_MAX 70000u
#define SAMPLE 211u    /* a prime: every low byte comes up */
#define TENSOR_BYTES 2 /* one BF16 */

/* Names that models have; the number is the layer's. */
static const char *const names[] = { "model.layers.%u.self_attn.q_proj.weight", "h.%u.attn.c_attn.bias",
	"encoder.layer.%u.output.dense.weight", "%u.weight", "features.2.%u.conv.running_mean",
	"transformer.blocks.%u.K.bias" };
#define N_NAMES (sizeof(names) / sizeof(names[0]))

/* A header that may end behind each of its entries. */
static char header[LENGTH_MAX + 256];
static size_t ends[LENGTH_MAX / 32], n_ends;

/* @style: which of the names, alone or all in turn; compact or indented. */
static void write_header(unsigned style)
{
	const char *space = style % 2 != 0 ? "\n  " : "";
	size_t at = 0;

	n_ends = 0;
	header[at++] = '{';
	for (unsigned i = 0; at < LENGTH_MAX; i++) {
		unsigned name = style / 2 < N_NAMES ? style / 2 : i % N_NAMES;
		char key[80];

		snprintf(key, sizeof(key), names[name], i);
		at += (size_t)snprintf(header + at, sizeof(header) - at,
		    "%s%s\"%s\":{\"dtype\":\"BF16\",\"shape\":[1],%s\"data_offsets\":[%u,%u]}", i > 0 ? "," : "", space,
		    key, space, i * TENSOR_BYTES, (i + 1) * TENSOR_BYTES);
		ends[n_ends++] = at;
	}
}
#define N_STYLES (2 * (N_NAMES + 1))

/* The file whose header has n bytes: as many entries as fit, and spaces.  Return: its size. */
static size_t make_file(uint8_t *file, size_t n)
{
	size_t entries = 0, end;

	while (entries < n_ends && ends[entries] + 1 <= n)
		entries++;
	end = entries > 0 ? ends[entries - 1] : 1;
	store_u64le(file, n);
	memset(file + 8, ' ', n);
	memcpy(file + 8, header, end);
	file[8 + end] = '}';
	memset(file + 8 + n, 0x3c, entries * TENSOR_BYTES);
	return 8 + n + entries * TENSOR_BYTES;
}

static bool is_clean(const uint8_t *file, size_t size, size_t n)
{
	struct facts *f = memory_scan(file, size);
	bool clean = f->n_findings == 0 && f->final.complete;

	if (!clean)
		printf("# length %zu: %s\n", n,
		    f->n_findings > 0 ? finding_info(f->findings[0].code)->code : "not complete");
	facts_free(f);
	return clean;
}

/* Odd lengths that are signatures (formats/polyglots, P18): no writer pads to them, and they are found. */
static bool spells_a_signature(size_t n)
{
	return n == 8483 || n == 23117;
}

/* Return: how many of the lengths are not clean. */
static unsigned run_style(unsigned style, bool all, uint8_t *file, unsigned *checked)
{
	/* What the first bytes spell: pickle, zlib, protobuf, MessagePack, ARJ, DER ... */
	static const size_t special[] = { 0x558, 640, 896, 1152, 1408, 265, 376, 8312, 11923, 40056, 49025, 55928,
		60000, 33328, 2648, 19778, 65536, 256, 26920, 0x1558, 0x2258, 0x4358, 0x8058, 0x10058 };
	unsigned bad = 0;

	write_header(style);
	for (size_t n = LENGTH_MIN; n <= LENGTH_MAX; n += all ? 1 : SAMPLE, (*checked)++)
		bad += !spells_a_signature(n) && !is_clean(file, make_file(file, n), n);
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++, (*checked)++)
		bad += !is_clean(file, make_file(file, special[i]), special[i]);
	return bad;
}

int main(int argc, char **argv)
{
	bool all = argc == 2 && strcmp(argv[1], "all") == 0;
	uint8_t *file = malloc(8 + LENGTH_MAX + sizeof(ends));
	unsigned bad = 0, checked = 0;

	if (file == NULL)
		return 99;
	printf("1..1\n");
	for (unsigned style = 0; style < N_STYLES; style++)
		bad += run_style(style, all, file, &checked);
	printf(
	    "%s 1 - test_headers_of_every_length_are_nothing_else # %u headers\n", bad == 0 ? "ok" : "not ok", checked);
	free(file);
	return bad != 0;
}
