/* Envelopes and statements: the encoding and the signature are those that others make, and whatever is not exactly so is
 * refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "dsse.h"
#include "harness.h"
#include "statement.h"
#include "hex.h"

/* RFC 8032, section 7.1, test 1. */
#define PRIVATE_PEM                                                          \
	"-----BEGIN PRIVATE KEY-----\n"                                      \
	"MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n" \
	"-----END PRIVATE KEY-----\n"
#define PUBLIC_PEM                                                       \
	"-----BEGIN PUBLIC KEY-----\n"                                   \
	"MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n" \
	"-----END PUBLIC KEY-----\n"
/* SHA-256 of its public half, d75a9801...f707511a. */
#define KEY_ID "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"

#define TYPE "http://example.com/HelloWorld"
#define BODY "hello world"

/* DSSE, protocol.md; the signature as `openssl pkeyutl -sign -rawin` makes it. */
static const char pae_vector[] = "DSSEv1 29 http://example.com/HelloWorld 11 hello world";
static const uint8_t signature_vector[DSSE_SIGNATURE_BYTES] = { 0xe0, 0x31, 0xd7, 0xdd, 0x99, 0xf8, 0xaa, 0x90, 0x4a,
	0xbc, 0x48, 0xfb, 0x99, 0xa1, 0x3c, 0x3b, 0xdb, 0xbd, 0x6e, 0x35, 0xc4, 0x9c, 0xf2, 0xcb, 0x9f, 0x25, 0xd5,
	0x50, 0x9d, 0x8f, 0x5c, 0x94, 0x7c, 0x0d, 0x22, 0xdc, 0x2f, 0x74, 0x03, 0xa4, 0x5b, 0xdf, 0x24, 0xe8, 0xf7,
	0xa4, 0x1f, 0xd2, 0x3c, 0x7b, 0x25, 0xe8, 0x98, 0x38, 0x6e, 0x8c, 0x6c, 0x31, 0xbe, 0x8a, 0xbe, 0xe6, 0x00,
	0x07 };

static struct dsse_key *private_key(void)
{
	return dsse_private_key(bytes_of_text(PRIVATE_PEM));
}

static struct dsse_key *public_key(void)
{
	return dsse_public_key(bytes_of_text(PUBLIC_PEM));
}

/* ---- the encoding ---- */

static void assert_pae(const char *type, struct bytes body, const void *expected, size_t n)
{
	size_t got_n;
	uint8_t *got = dsse_pae(type, body, &got_n);

	ck_assert_uint_eq(got_n, n);
	ck_assert_mem_eq(got, expected, n);
	free(got);
}

START_TEST(test_pae_is_that_of_the_specification)
{
	assert_pae(TYPE, bytes_of_text(BODY), pae_vector, sizeof(pae_vector) - 1);
	assert_pae("", (struct bytes){ 0 }, "DSSEv1 0  0 ", 12);
	assert_pae("t", bytes_of("\0 \n", 3), "DSSEv1 1 t 3 \0 \n", 16);
	/* lengths are of bytes */
	assert_pae("\xc3\xa4", bytes_of_text("\xe2\x82\xac"), "DSSEv1 2 \xc3\xa4 3 \xe2\x82\xac", 17);
}
END_TEST

/* ---- keys ---- */

START_TEST(test_key_id_is_the_digest_of_the_public_half)
{
	struct dsse_key *a = private_key(), *b = public_key();
	char hex[SHA256_HEX + 1];

	hex_write(dsse_key_id(a), 32, hex);
	ck_assert_str_eq(hex, KEY_ID);
	ck_assert_mem_eq(dsse_key_id(a), dsse_key_id(b), DSSE_KEYID_BYTES);
	dsse_key_free(a);
	dsse_key_free(b);
}
END_TEST

START_TEST(test_other_keys_are_refused)
{
	/* of P-256, from openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 | openssl pkey -pubout */
	static const char p256[] = "-----BEGIN PUBLIC KEY-----\n"
				   "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1npN2VSsfACWkYCsy3RDwHA2SNsp\n"
				   "T0rRGemQQGcdjVo3nhUXLureRrte+PpuOKRNn1ZTeQBc2VkXpFgO+Yowng==\n"
				   "-----END PUBLIC KEY-----\n";

	ck_assert_ptr_null(dsse_public_key(bytes_of_text(p256)));
	ck_assert_ptr_null(dsse_public_key(bytes_of_text(PRIVATE_PEM)));
	ck_assert_ptr_null(dsse_private_key(bytes_of_text(PUBLIC_PEM)));
	ck_assert_ptr_null(dsse_private_key(bytes_of_text("")));
	ck_assert_ptr_null(dsse_private_key(bytes_of_text("-----BEGIN PRIVATE KEY-----\n")));
}
END_TEST

/* ---- signatures ---- */

START_TEST(test_signature_is_that_of_another_implementation)
{
	struct dsse_key *k = private_key();
	uint8_t got[DSSE_SIGNATURE_BYTES];

	ck_assert(dsse_sign(k, TYPE, bytes_of_text(BODY), got));
	ck_assert_mem_eq(got, signature_vector, sizeof(got));
	dsse_key_free(k);
}
END_TEST

START_TEST(test_every_changed_bit_of_signature_body_or_type_is_found)
{
	struct dsse_key *k = public_key();
	uint8_t changed[DSSE_SIGNATURE_BYTES];
	char body[] = BODY, type[] = TYPE;

	ck_assert(dsse_verify(k, TYPE, bytes_of_text(BODY), signature_vector));
	for (size_t bit = 0; bit < 8 * sizeof(changed); bit++) {
		memcpy(changed, signature_vector, sizeof(changed));
		changed[bit / 8] = (uint8_t)(changed[bit / 8] ^ (1 << bit % 8));
		ck_assert(!dsse_verify(k, TYPE, bytes_of_text(BODY), changed));
	}
	body[3] ^= 1;
	ck_assert(!dsse_verify(k, TYPE, bytes_of_text(body), signature_vector));
	type[3] ^= 1;
	ck_assert(!dsse_verify(k, type, bytes_of_text(BODY), signature_vector));
	dsse_key_free(k);
}
END_TEST

/* ---- envelopes ---- */

static const char *open_envelope(const char *text, char **ret)
{
	struct dsse_key *k = public_key();
	uint8_t *payload;
	size_t n = 0;
	const char *why = dsse_open(k, bytes_of_text(text), TYPE, &payload, &n);

	*ret = why ? NULL : strndup((const char *)payload, n);
	ck_assert(why ? payload == NULL : payload != NULL);
	free(payload);
	dsse_key_free(k);
	return why;
}

START_TEST(test_envelope_opens_and_gives_what_was_signed)
{
	struct dsse_key *k = private_key();
	char *text = dsse_envelope(TYPE, bytes_of_text(BODY), dsse_key_id(k), signature_vector), *body;

	ck_assert_ptr_nonnull(strstr(text, "\"payload\":\"aGVsbG8gd29ybGQ=\",\"payloadType\":\"" TYPE "\""));
	ck_assert_ptr_nonnull(strstr(text, "\"keyid\":\"" KEY_ID "\""));
	ck_assert_ptr_null(open_envelope(text, &body));
	ck_assert_str_eq(body, BODY);
	free(body);
	free(text);
	dsse_key_free(k);
}
END_TEST

/* A sig of the right one, of another one, and neither. */
#define SIG "4DHX3Zn4qpBKvEj7maE8O9u9bjXEnPLLnyXVUJ2PXJR8DSLcL3QDpFvfJOj3pB/SPHsl6Jg4boxsMb6KvuYABw=="
#define OTHER "5DHX3Zn4qpBKvEj7maE8O9u9bjXEnPLLnyXVUJ2PXJR8DSLcL3QDpFvfJOj3pB/SPHsl6Jg4boxsMb6KvuYABw=="
#define ENVELOPE(payload, type, signatures) \
	"{\"payload\":\"" payload "\",\"payloadType\":\"" type "\",\"signatures\":[" signatures "]}"

START_TEST(test_one_good_signature_is_enough_and_a_key_id_is_a_hint)
{
	static const char *const good[] = { ENVELOPE("aGVsbG8gd29ybGQ=", TYPE, "{\"sig\":\"" SIG "\"}"),
		ENVELOPE("aGVsbG8gd29ybGQ=", TYPE, "{\"keyid\":\"x\",\"sig\":\"" SIG "\"}"),
		ENVELOPE("aGVsbG8gd29ybGQ=", TYPE, "{\"sig\":\"" OTHER "\"},{\"sig\":\"" SIG "\"}") };
	char *body;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_ptr_null(open_envelope(good[i], &body));
		free(body);
	}
}
END_TEST

START_TEST(test_what_is_not_exactly_so_is_refused)
{
	static const char *const bad[] = { "", "{}", "[]", "\"\"", ENVELOPE("aGVsbG8gd29ybGQ=", TYPE, ""),
		ENVELOPE("aGVsbG8gd29ybGQ=", TYPE, "{\"sig\":\"" OTHER "\"}"),
		ENVELOPE("aGVsbG8gd29ybGQ=", TYPE, "{\"keyid\":\"" KEY_ID "\"}"),
		ENVELOPE("aGVsbG8gd29ybGQ=", TYPE, "{\"sig\":\"\"}"), ENVELOPE("aGVsbG8gd29ybGQ=", TYPE, "{\"sig\":1}"),
		ENVELOPE("aGVsbG8gd29ybGQ=", TYPE, "\"" SIG "\""),
		ENVELOPE("aGVsbG8gd29ybGQ=", TYPE "x", "{\"sig\":\"" SIG "\"}"),
		ENVELOPE("aGVsbG8gd29ybGQ", TYPE, "{\"sig\":\"" SIG "\"}"),
		ENVELOPE("aGVsbG8gd29ybGQ= ", TYPE, "{\"sig\":\"" SIG "\"}"),
		ENVELOPE("aGVs\\nbG8gd29ybGQ=", TYPE, "{\"sig\":\"" SIG "\"}"),
		ENVELOPE("aGVsbG8gd29ybGQ====", TYPE, "{\"sig\":\"" SIG "\"}"),
		ENVELOPE("", TYPE, "{\"sig\":\"" SIG "\"}"),
		"{\"payload\":\"aGVsbG8gd29ybGQ=\",\"payload\":\"aGVsbG8gd29ybGQ=\",\"payloadType\":\"" TYPE
		"\",\"signatures\":[{\"sig\":\"" SIG "\"}]}" };
	char *body;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(open_envelope(bad[i], &body) != NULL, "%s", bad[i]);
}
END_TEST

/* ---- statements ---- */

#define SHA256_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA256_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define VERDICT(value, findings, sha256)                                                                            \
	"{\"schema\":\"weighlock.verdict/1\",\"verdict\":\"" value "\",\"file\":{\"name\":\"a\",\"sha256\":" sha256 \
	"},\"policy\":{\"name\":\"default\",\"sha256\":\"" SHA256_B "\"},\"findings\":[" findings "]}"
#define FINDING(code, action) "{\"code\":\"" code "\",\"action\":\"" action "\"}"

static char *statement_of(const char *verdict, int expected)
{
	json_t *v = json_loads(verdict, 0, NULL);
	char *text;

	ck_assert_ptr_nonnull(v);
	ck_assert_int_eq(statement_make(v, &text), expected);
	json_decref(v);
	return text;
}

START_TEST(test_statement_says_what_the_verdict_says)
{
	static const struct {
		const char *verdict, *value, *result, *failed;
	} cases[] = {
		{ VERDICT("accept", "", "\"" SHA256_A "\""), "accept", "\"result\":\"PASSED\"", "\"failedTests\":[]" },
		{ VERDICT("review", FINDING("x", "review"), "\"" SHA256_A "\""), "review", "\"result\":\"WARNED\"",
		    "\"warnedTests\":[\"x\"]" },
		{ VERDICT("error", "", "\"" SHA256_A "\""), "error", "\"result\":\"FAILED\"", "\"failedTests\":[]" },
		{ VERDICT("reject", FINDING("x", "reject") "," FINDING("y", "accept") "," FINDING("x", "reject"),
		      "\"" SHA256_A "\""),
		    "reject", "\"result\":\"FAILED\"", "\"failedTests\":[\"x\"]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = statement_of(cases[i].verdict, 0);
		struct statement s;

		ck_assert_ptr_nonnull(strstr(text, cases[i].result));
		ck_assert_ptr_nonnull(strstr(text, cases[i].failed));
		ck_assert_ptr_nonnull(strstr(text, "{\"name\":\"default\",\"digest\":{\"sha256\":\"" SHA256_B "\"}}"));
		ck_assert_ptr_null(statement_read(text, strlen(text), &s));
		ck_assert_str_eq(s.sha256, SHA256_A);
		ck_assert_str_eq(s.verdict, cases[i].value);
		ck_assert_str_eq(s.name, "a");
		statement_done(&s);
		free(text);
	}
}
END_TEST

START_TEST(test_without_a_digest_there_is_nothing_to_be_said)
{
	ck_assert_ptr_null(statement_of(VERDICT("error", "", "null"), -ENOENT));
}
END_TEST

START_TEST(test_a_claimed_digest_is_nothing_that_is_signed)
{
	static const char by[] = ",\"scan\":{\"digest_by\":\"caller\"}}",
			  taken[] = ",\"scan\":{\"digest_by\":\"front\"}}";
	char text[1024], *made;
	struct statement s;

	snprintf(text, sizeof(text), "%s", VERDICT("accept", "", "\"" SHA256_A "\""));
	strcpy(text + strlen(text) - 1, by);
	ck_assert_ptr_null(statement_of(text, -ENOENT));
	strcpy(strstr(text, by), taken);
	made = statement_of(text, 0);
	ck_assert_ptr_null(statement_read(made, strlen(made), &s));
	statement_done(&s);
	free(made);
}
END_TEST

/* @text: what is in it becomes @other. */
static void assert_refused(const char *text, const char *other)
{
	char *whole = statement_of(VERDICT("reject", "", "\"" SHA256_A "\""), 0), *at = strstr(whole, text);
	char *changed = malloc(strlen(whole) + strlen(other) + 1);
	struct statement s;

	ck_assert_msg(at != NULL, "%s", text);
	sprintf(changed, "%.*s%s%s", (int)(at - whole), whole, other, at + strlen(text));
	ck_assert_msg(statement_read(changed, strlen(changed), &s) != NULL, "%s", changed);
	ck_assert_ptr_null(s.json);
	free(whole);
	free(changed);
}

START_TEST(test_statement_that_contradicts_itself_is_refused)
{
	assert_refused("\"FAILED\"", "\"PASSED\"");
	assert_refused("\"verdict\":\"reject\"", "\"verdict\":\"accept\"");
	assert_refused("\"digest\":{\"sha256\":\"" SHA256_A "\"}", "\"digest\":{\"sha256\":\"" SHA256_B "\"}");
	assert_refused("\"digest\":{\"sha256\":\"" SHA256_A "\"}", "\"digest\":{}");
	assert_refused("in-toto.io/Statement/v1", "in-toto.io/Statement/v2");
	assert_refused("test-result/v0.1", "svr/v0.1");
	assert_refused("weighlock.verdict/1", "weighlock.verdict/2");
	assert_refused("weighlock_verdict", "weighlock");
	assert_refused("\"subject\":[", "\"subject\":[{},");
	assert_refused("{", "");
}
END_TEST

/* A digest that is spelled otherwise would never be that of a file, and a program that compares it in its own way could
 * think so. */
START_TEST(test_statement_about_what_is_no_digest_is_refused)
{
	static const char *const digests[] = {
		"ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef0123456789",
		"zbcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789",
		"abcdef0123456789abcdef0123456789abcdef0123456789abcdef012345678\n",
		"abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789",
	};

	for (size_t i = 0; i < 4; i++) {
		json_t *verdict = json_pack("{s:s, s:s, s:{s:s}}", "schema", "weighlock.verdict/1", "verdict", "accept",
		    "file", "sha256", digests[i]);
		struct statement s;
		char *text;

		ck_assert_int_eq(statement_make(verdict, &text), 0);
		ck_assert_int_eq(statement_read(text, strlen(text), &s) == NULL, i == 3);
		statement_done(&s);
		free(text);
		json_decref(verdict);
	}
}
END_TEST

/* ---- whole, or nothing ---- */

static unsigned n_made, failing; /* allocations of jansson's; which one of them fails, the next may succeed */

static void *scarce_malloc(size_t n)
{
	return ++n_made == failing ? NULL : malloc(n);
}

static char *statement_text(const json_t *verdict)
{
	char *text;

	return statement_make(verdict, &text) == 0 ? text : NULL;
}

static char *envelope_text(const json_t *verdict)
{
	(void)verdict;
	return dsse_envelope(TYPE, bytes_of_text(BODY), (const uint8_t[DSSE_KEYID_BYTES]){ 1 }, signature_vector);
}

static void is_whole_or_none(char *(*make)(const json_t *verdict), const json_t *verdict)
{
	char *whole = make(verdict), *text = NULL;

	ck_assert_ptr_nonnull(whole);
	json_set_alloc_funcs(scarce_malloc, free);
	failing = 0;
	do {
		free(text);
		failing++;
		n_made = 0;
		text = make(verdict);
		ck_assert_msg(text == NULL || strcmp(text, whole) == 0, "%s", text);
	} while (n_made >= failing);
	ck_assert_ptr_nonnull(text);
	json_set_alloc_funcs(malloc, free);
	free(text);
	free(whole);
}

START_TEST(test_what_is_signed_is_whole_or_there_is_nothing_whatever_allocation_fails)
{
	char name[512];

	for (size_t n = 0; n < 300; n++) { /* so that a key comes to stand wherever a buffer is full */
		json_t *verdict;

		memset(name, 'n', n);
		name[n] = '\0';
		verdict = json_pack("{s:s, s:{s:s, s:s}, s:[{s:s, s:s}, {s:s, s:s}]}", "verdict", "reject", "file",
		    "sha256", KEY_ID, "name", name, "findings", "code", "a", "action", "reject", "code", "b", "action",
		    "review");
		ck_assert_ptr_nonnull(verdict);
		is_whole_or_none(statement_text, verdict);
		json_decref(verdict);
	}
	is_whole_or_none(envelope_text, NULL);
}
END_TEST

HARNESS("dsse", test_pae_is_that_of_the_specification, test_key_id_is_the_digest_of_the_public_half,
    test_other_keys_are_refused, test_signature_is_that_of_another_implementation,
    test_every_changed_bit_of_signature_body_or_type_is_found, test_envelope_opens_and_gives_what_was_signed,
    test_one_good_signature_is_enough_and_a_key_id_is_a_hint, test_what_is_not_exactly_so_is_refused,
    test_statement_says_what_the_verdict_says, test_without_a_digest_there_is_nothing_to_be_said,
    test_a_claimed_digest_is_nothing_that_is_signed, test_statement_that_contradicts_itself_is_refused,
    test_statement_about_what_is_no_digest_is_refused,
    test_what_is_signed_is_whole_or_there_is_nothing_whatever_allocation_fails)
