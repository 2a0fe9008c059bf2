/* The table of signatures: what decides, what a bit beside it is not, and what it costs. */
#include "harness.h"

#include <string.h>
#include <time.h>

#include "identify_signs.h"

static enum wlk_format_id known(const char *bytes, size_t n)
{
	const struct sign *s = identify_sign(bytes_of((const uint8_t *)bytes, n), n);

	return s != NULL ? s->id : WLK_FORMAT_UNKNOWN;
}

#define KNOWN(text) known(text, sizeof(text) - 1)

START_TEST(test_a_head_cut_anywhere_is_never_read_beyond)
{
	static const char elf[] = "\x7f"
				  "ELF\2\1\1\0\0\0\0\0\0\0\0\0";

	for (size_t n = 0; n < 16; n++) {
		char *exact = malloc(n + 1);

		memcpy(exact, elf, n);
		ck_assert_int_eq(known(exact, n), WLK_FORMAT_UNKNOWN);
		free(exact);
	}
	ck_assert_int_eq(known(elf, 16), WLK_FORMAT_ELF);
}
END_TEST

/* Each signature is cut at every byte, in memory of exactly that size: what reads beyond it is seen with ASan. */
START_TEST(test_no_predicate_reads_beyond_the_head)
{
	static const char *const heads[] = { "MZ", "\xca\xfe\xba\xbe", "\x60\xea", "\x20\x10-lh5-", "RIFF\4\4\4\4",
		"<?xml ?><net", "<!-- a --><html", "BM", "\x0a\x20", "\x08\4\x12\x20", "\xff\xff\xff\xff", "ID3", "ORC",
		"{L\0\0", "X\n" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		for (size_t n = 0; n < 80; n++) {
			uint8_t *exact = calloc(n > 0 ? n : 1, 1);
			size_t head = strlen(heads[i]) < n ? strlen(heads[i]) : n;

			memcpy(exact, heads[i], head);
			(void)identify_sign(bytes_of(exact, n), n);
			free(exact);
		}
	}
}
END_TEST

START_TEST(test_markup_is_known_by_its_first_element)
{
	ck_assert_int_eq(KNOWN("<?xml version='1.0'?>\n<!-- <html> --><!DOCTYPE a>\n<PMML >"), WLK_FORMAT_PMML);
	ck_assert_int_eq(KNOWN("\xef\xbb\xbf <net name=\"a\" version=\"11\">"), WLK_FORMAT_OPENVINO);
	ck_assert_int_eq(KNOWN("<net>"), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(KNOWN("<!doctype HTML >"), WLK_FORMAT_HTML);
	ck_assert_int_eq(KNOWN("\n <ScRiPt>"), WLK_FORMAT_HTML);
	ck_assert_int_eq(KNOWN("<scripted>"), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(KNOWN("<p align=\"center\">"), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(KNOWN("<!-- never ends"), WLK_FORMAT_UNKNOWN);
}
END_TEST

START_TEST(test_formats_that_begin_alike_are_told_apart)
{
	ck_assert_int_eq(KNOWN("\xca\xfe\xba\xbe\0\0\0\2......"), WLK_FORMAT_MACHO);
	ck_assert_int_eq(KNOWN("\xca\xfe\xba\xbe\0\0\0\x34......"), WLK_FORMAT_JAVA_CLASS);
	ck_assert_int_eq(KNOWN("\0\0\0\x18"
			       "ftypavif"),
	    WLK_FORMAT_HEIF);
	ck_assert_int_eq(KNOWN("\0\0\0\x18"
			       "ftypisom"),
	    WLK_FORMAT_MP4);
	/* A model of ONNX has its producer's name where one of Core ML has its description. */
	ck_assert_int_eq(KNOWN("\x08\x07\x12\x07pytorch"), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(KNOWN("\x08\x04\x12\x20\x0a\x10\x0a\3age"), WLK_FORMAT_COREML);
}
END_TEST

START_TEST(test_the_reason_is_that_of_the_format)
{
	static const uint8_t zip[] = "PK\3\4........";
	const struct sign *s = identify_reason(WLK_FORMAT_NPZ, bytes_of(zip, 12), 12);

	ck_assert(s != NULL && s->at == 0 && s->n == 4);
	ck_assert_ptr_null(identify_reason(WLK_FORMAT_GGUF, bytes_of(zip, 12), 12));
	ck_assert_ptr_null(identify_reason(WLK_FORMAT_SAFETENSORS, bytes_of(zip, 12), 12));
}
END_TEST

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Any byte repeated, and the pairs that once cost others half a second: 5 ms for each, and far less here. */
START_TEST(test_no_run_of_a_byte_costs_anything)
{
	static uint8_t run[64 * 1024];
	double begin = cpu_ms();

	for (unsigned c = 0; c < 256; c++) {
		memset(run, (int)c, sizeof(run));
		(void)identify_sign(bytes_of(run, sizeof(run)), sizeof(run));
	}
	for (size_t i = 0; i < sizeof(run); i++)
		run[i] = "<!"[i & 1];
	(void)identify_sign(bytes_of(run, sizeof(run)), sizeof(run));
	ck_assert_double_le(cpu_ms() - begin, 257 * 5.0);
}
END_TEST

HARNESS("identify_signs", test_a_head_cut_anywhere_is_never_read_beyond, test_no_predicate_reads_beyond_the_head,
    test_markup_is_known_by_its_first_element, test_formats_that_begin_alike_are_told_apart,
    test_the_reason_is_that_of_the_format, test_no_run_of_a_byte_costs_anything)
