/* The tables everything else grows from: findings, formats, element types, causes, limits. */
#include "harness.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "dtype.h"
#include "finding_references.h"
#include "findings.h"
#include "formats.h"
#include "scan_limits.h"
#include "status.h"

#define TITLE_MAX 200 /* the verdict's message is the title and numbers, 300 bytes in all */

/* [a-z0-9]+(-[a-z0-9]+)* */
static bool is_kebab(const char *code)
{
	bool dash = true;

	for (; *code != '\0'; code++) {
		if (*code == '-' && dash)
			return false;
		dash = *code == '-';
		if (!dash && !islower((unsigned char)*code) && !isdigit((unsigned char)*code))
			return false;
	}
	return !dash;
}

/* One line, printable, between one byte and n, and without a full stop where none belongs. */
static bool is_line(const char *text, size_t n)
{
	for (const char *at = text; *at != '\0'; at++) {
		if ((unsigned char)*at < 0x20 || (unsigned char)*at > 0x7e)
			return false;
	}
	return strlen(text) > 0 && strlen(text) <= n;
}

START_TEST(test_codes_are_kebab_case)
{
	ck_assert(is_kebab("a-b1"));
	ck_assert(!is_kebab("") && !is_kebab("-a") && !is_kebab("a-") && !is_kebab("a--b") && !is_kebab("A"));
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++)
		ck_assert_msg(is_kebab(finding_info(i)->code), "%s", finding_info(i)->code);
}
END_TEST

START_TEST(test_codes_are_unique_and_found_again)
{
	enum wlk_finding found;

	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		ck_assert(finding_by_code(finding_info(i)->code, &found));
		ck_assert_uint_eq(found, i);
	}
	ck_assert(!finding_by_code("no-such-code", &found));
	ck_assert(!finding_by_code("", &found));
}
END_TEST

START_TEST(test_texts_fit_the_verdict)
{
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		const struct finding_info *f = finding_info(i);

		ck_assert_msg(is_line(f->title, TITLE_MAX), "%s: title", f->code);
		ck_assert_msg(f->title[strlen(f->title) - 1] != '.', "%s: title ends in a full stop", f->code);
		ck_assert_msg(is_line(f->why, 1000) && is_line(f->fix, 1000), "%s: why or fix", f->code);
		ck_assert_msg(f->why[strlen(f->why) - 1] == '.' && f->fix[strlen(f->fix) - 1] == '.',
		    "%s: why and fix are sentences", f->code);
		ck_assert_msg(is_line(f->clause, 1000), "%s: clause", f->code);
	}
}
END_TEST

/* CVE-YYYY-NNNN and longer, or GHSA-xxxx-xxxx-xxxx. */
static bool is_advisory(const char *text, size_t n)
{
	static const char digits[] = "0123456789", letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";

	if (n > 12 && strncmp(text, "CVE-", 4) == 0)
		return strspn(text + 4, digits) == 4 && text[8] == '-' && strspn(text + 9, digits) == n - 9;
	return n == 19 && strncmp(text, "GHSA-", 5) == 0 && strspn(text + 5, letters) == 4 && text[9] == '-' &&
	       strspn(text + 10, letters) == 4 && text[14] == '-' && strspn(text + 15, letters) == 4;
}

START_TEST(test_references_are_numbers_of_advisories_in_order)
{
	unsigned n_with = 0;

	ck_assert(is_advisory("CVE-2020-1234", 13) && is_advisory("GHSA-1a2b-3c4d-5e6f", 19));
	ck_assert(!is_advisory("CVE-2020-123", 12) && !is_advisory("GHSA-1a2b-3c4d-5e6", 18));
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		const char *at = finding_references((enum wlk_finding)i), *before = "";

		n_with += at[0] != '\0';
		for (; at[0] != '\0'; at += strcspn(at, " "), at += at[0] == ' ') {
			size_t n = strcspn(at, " ");

			ck_assert_msg(is_advisory(at, n), "%s: '%s'", finding_info(i)->code, at);
			ck_assert_msg(
			    strncmp(before, at, n) < 0, "%s: '%s' is not in its place", finding_info(i)->code, at);
			before = at;
		}
	}
	ck_assert_uint_gt(n_with, 60);
}
END_TEST

START_TEST(test_frozen_codes_and_table_are_the_same)
{
	bool seen[WLK_N_FINDINGS] = { false };
	char line[128], previous[128] = "";
	FILE *frozen = fopen(FROZEN_CODES, "r");

	ck_assert_ptr_nonnull(frozen);
	while (fgets(line, sizeof(line), frozen) != NULL) {
		enum wlk_finding f;

		unsigned since = (unsigned)strtoul(line + strcspn(line, " "), NULL, 10);

		line[strcspn(line, " ")] = '\0';
		ck_assert_msg(strcmp(previous, line) < 0, "%s: not sorted", line);
		ck_assert_msg(finding_by_code(line, &f), "%s: a shipped code is gone", line);
		ck_assert_msg(since >= 1 && since <= WLK_RULES_VERSION, "%s: since %u", line, since);
		ck_assert_uint_eq(finding_since(f), since);
		seen[f] = true;
		memcpy(previous, line, sizeof(line));
	}
	fclose(frozen);
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++)
		ck_assert_msg(seen[i], "%s: add it to lib/core/codes.txt", finding_info(i)->code);
}
END_TEST

START_TEST(test_classes_and_severities_have_words)
{
	for (unsigned i = 0; i < N_FINDING_CLASSES; i++)
		ck_assert(is_kebab(finding_class_text(i)));
	for (unsigned i = 0; i < N_FINDING_SEVERITIES; i++)
		ck_assert(is_kebab(finding_severity_text(i)));
	ck_assert_str_eq(finding_severity_text(SEVERITY_CRITICAL), "critical");
	ck_assert_str_eq(finding_class_text(CLASS_INCOMPLETE), "incomplete");
}
END_TEST

START_TEST(test_causes_have_words_and_retry)
{
	for (unsigned i = 0; i < WLK_N_CAUSES; i++)
		ck_assert(is_kebab(cause_text(i)));
	ck_assert_str_eq(cause_text(WLK_CAUSE_INPUT_CHANGED), "input-changed");
	ck_assert_int_eq(cause_retry(WLK_CAUSE_INPUT_CHANGED), WLK_RETRY_LATER);
	ck_assert_int_eq(cause_retry(WLK_CAUSE_WORKER_CRASHED), WLK_RETRY_NEVER);
}
END_TEST

/* As waitpid(2) encodes them on Linux: exit status in the second byte, signal in the first. */
START_TEST(test_cause_of_a_worker_end)
{
	ck_assert_int_eq(cause_from_wait_status(0), WLK_CAUSE_NONE);
	ck_assert_int_eq(cause_from_wait_status(1 << 8), WLK_CAUSE_WORKER_CRASHED);
	ck_assert_int_eq(cause_from_wait_status(90 << 8), WLK_CAUSE_INTERNAL);
	ck_assert_int_eq(cause_from_wait_status(SIGSYS), WLK_CAUSE_WORKER_KILLED_SECCOMP);
	ck_assert_int_eq(cause_from_wait_status(SIGSYS | 0x80), WLK_CAUSE_WORKER_KILLED_SECCOMP);
	ck_assert_int_eq(cause_from_wait_status(SIGXCPU), WLK_CAUSE_WORKER_TIMEOUT);
	ck_assert_int_eq(cause_from_wait_status(SIGSEGV), WLK_CAUSE_WORKER_CRASHED);
	ck_assert_int_eq(cause_from_wait_status(SIGSTOP << 8 | 0x7f), WLK_CAUSE_WORKER_CRASHED);
	ck_assert_int_eq(cause_from_wait_status(0x7f), WLK_CAUSE_WORKER_CRASHED); /* neither exited nor killed */
}
END_TEST

START_TEST(test_faults_are_signals_that_nobody_sends)
{
	const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT | 0x80, SIGTRAP, SIGSYS };
	const int others[] = { 0, 1 << 8, SIGSEGV << 8, SIGKILL, SIGXCPU, SIGTERM };

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		ck_assert_msg(wait_status_is_fault(faults[i]), "%d", faults[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!wait_status_is_fault(others[i]), "%d", others[i]);
}
END_TEST

START_TEST(test_dtypes_are_in_the_order_of_the_table)
{
	ck_assert_str_eq(dtype_info(WLK_DTYPE_F8_E4M3FNUZ)->name, "F8_E4M3FNUZ");
	ck_assert_uint_eq(dtype_info(WLK_DTYPE_F6_E2M3)->bits, 6);
	ck_assert_uint_eq(dtype_info(WLK_DTYPE_C64)->bits, 64);
	ck_assert(dtype_is_float(WLK_DTYPE_BF16) && dtype_is_float(WLK_DTYPE_C64));
	ck_assert(!dtype_is_float(WLK_DTYPE_BOOL) && !dtype_is_float(WLK_DTYPE_I64));
	for (unsigned i = 0; i < WLK_N_DTYPES; i++)
		ck_assert(dtype_info(i)->name != NULL && dtype_info(i)->bits > 0);
}
END_TEST

START_TEST(test_hint_is_the_last_extension_in_any_case)
{
	ck_assert_int_eq(format_hint("model.safetensors"), WLK_FORMAT_SAFETENSORS);
	ck_assert_int_eq(format_hint("/a.b/MODEL.SafeTensors"), WLK_FORMAT_SAFETENSORS);
	ck_assert_int_eq(format_hint(".safetensors"), WLK_FORMAT_SAFETENSORS);
	ck_assert_int_eq(format_hint("model.safetensors.bin"), WLK_FORMAT_OTHER);
	ck_assert_int_eq(format_hint("model.safetensor"), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(format_hint("model.safetensorsx"), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(format_hint("x.safetensors/model"), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(format_hint("safetensors"), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(format_hint("model."), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(format_hint("model. "), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(format_hint(""), WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(format_hint(NULL), WLK_FORMAT_UNKNOWN);
}
END_TEST

START_TEST(test_formats_have_names)
{
	for (unsigned i = 0; i < WLK_N_FORMATS; i++)
		ck_assert(is_kebab(format_info(i)->name) && format_info(i)->revision > 0);
	ck_assert(format_info(WLK_FORMAT_SAFETENSORS)->model);
	ck_assert(!format_info(WLK_FORMAT_LFS_POINTER)->model);
}
END_TEST

START_TEST(test_deadline_scales_with_size_up_to_the_limit)
{
	struct limits lim = LIMITS_DEFAULT;

	ck_assert_uint_eq(limits_deadline_s(&lim, 0), 30);
	ck_assert_uint_eq(limits_deadline_s(&lim, 20000000), 31);
	ck_assert_uint_eq(limits_deadline_s(&lim, UINT64_MAX), 86400);
	lim.scan_seconds = 5;
	ck_assert_uint_eq(limits_deadline_s(&lim, 0), 5);
}
END_TEST

HARNESS("tables", test_codes_are_kebab_case, test_codes_are_unique_and_found_again, test_texts_fit_the_verdict,
    test_references_are_numbers_of_advisories_in_order, test_frozen_codes_and_table_are_the_same,
    test_classes_and_severities_have_words, test_causes_have_words_and_retry, test_cause_of_a_worker_end,
    test_faults_are_signals_that_nobody_sends, test_dtypes_are_in_the_order_of_the_table,
    test_hint_is_the_last_extension_in_any_case, test_formats_have_names,
    test_deadline_scales_with_size_up_to_the_limit)
