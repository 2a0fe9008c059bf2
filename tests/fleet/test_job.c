/* fleet/job.c: docs/job.schema.json. */
#include "job.h"
#include "harness.h"
#include "json_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHA "\"sha256\":\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\""
#define JOB(more) "{\"ref\":\"file:/m/a.gguf\"," SHA ",\"size\":7" more "}"

static struct fleet_job read_ok(const char *text)
{
	struct fleet_job job;
	const char *why = job_read(text, strlen(text), &job);

	ck_assert_msg(why == NULL, "%s: %s", text, why);
	return job;
}

static void is_refused(const char *text, const char *part)
{
	struct fleet_job job;
	const char *why = job_read(text, strlen(text), &job);

	ck_assert_msg(why != NULL && strstr(why, part) != NULL, "%s: %s", text, why != NULL ? why : "taken");
}

START_TEST(test_what_is_left_out)
{
	struct fleet_job job = read_ok(JOB(""));

	ck_assert_str_eq(job.name, "a.gguf");
	ck_assert_int_eq(job.lane, LANE_SMALL);
	ck_assert_uint_eq(strlen(job.id), 64);
	ck_assert_int_eq(read_ok("{\"ref\":\"file:/m/a\"," SHA ",\"size\":1073741824}").lane, LANE_LARGE);
	ck_assert_int_eq(read_ok("{\"ref\":\"file:/m/a\"," SHA ",\"size\":1073741823}").lane, LANE_SMALL);
	ck_assert_int_eq(read_ok(JOB(",\"lane\":\"rescan\"")).lane, LANE_RESCAN);
}
END_TEST

START_TEST(test_the_same_question_has_the_same_id)
{
	const struct fleet_job job = read_ok(JOB(""));

	ck_assert_str_eq(job.id, read_ok(JOB(",\"lane\":\"large\",\"deadline\":9")).id);
	ck_assert_str_eq(job.id, read_ok(JOB(",\"name\":\"a.gguf\"")).id);
	ck_assert_str_ne(job.id, read_ok(JOB(",\"name\":\"b.gguf\"")).id);
	ck_assert_str_ne(job.id, read_ok(JOB(",\"policy\":\"ci\"")).id);
	/* parts do not run into each other */
	ck_assert_str_ne(read_ok(JOB(",\"tenant\":\"ab\",\"policy\":\"c\"")).id,
	    read_ok(JOB(",\"tenant\":\"a\",\"policy\":\"bc\"")).id);
}
END_TEST

START_TEST(test_what_is_no_job)
{
	is_refused("", "object");
	is_refused("[1]", "object");
	is_refused(JOB(",\"size\":8"), "object"); /* twice */
	is_refused(JOB("} {"), "object");
	is_refused(JOB(",\"extra\":1"), "does not know");
	is_refused(JOB(",\"schema\":\"weighlock.job/2\""), "schema");
	is_refused("{" SHA ",\"size\":7}", "ref");
	is_refused("{\"ref\":\"file:/m/a\\u0000b\"," SHA ",\"size\":7}", "object"); /* NUL: jansson's own */
	is_refused("{\"ref\":\"file:/m/a\\nb\"," SHA ",\"size\":7}", "ref");
	is_refused("{\"ref\":\"file:/m/a\",\"sha256\":\"0\",\"size\":7}", "sha256");
	is_refused("{\"ref\":\"file:/m/a\"," SHA "}", "size");
	is_refused("{\"ref\":\"file:/m/a\"," SHA ",\"size\":-1}", "size");
	is_refused("{\"ref\":\"file:/m/a\"," SHA ",\"size\":1.5}", "size");
	is_refused("{\"ref\":\"file:/m/\"," SHA ",\"size\":1}", "name");
	is_refused(JOB(",\"tenant\":\"a b\""), "tenant");
	is_refused(JOB(",\"id\":\"a\\\"b\""), "id");
	is_refused(JOB(",\"lane\":\"fast\""), "lane");
	is_refused(JOB(",\"deadline\":-1"), "deadline");
}
END_TEST

START_TEST(test_written_and_read_it_is_the_same)
{
	const struct fleet_job job =
	    read_ok(JOB(",\"tenant\":\"t\",\"policy\":\"ci\",\"deadline\":5,\"name\":\"\\u00e9.gguf\""));
	char text[JOB_TEXT_MAX + 1];
	struct fleet_job again;

	ck_assert_ptr_null(job_write(&job, text));
	again = read_ok(text);
	ck_assert_mem_eq(&job, &again, sizeof(job));
}
END_TEST

START_TEST(test_one_that_would_be_too_long_is_told)
{
	struct fleet_job job = read_ok(JOB(""));
	char text[JOB_TEXT_MAX + 1];

	memset(job.ref, 'r', JOB_REF_MAX);
	memset(job.name, 'n', JOB_NAME_MAX);
	ck_assert_str_eq(job_write(&job, text), "a job has 1,024 bytes at most");
}
END_TEST

static unsigned n_made, failing; /* allocations of jansson's; which one of them fails, the next may succeed */

static void *scarce_malloc(size_t n)
{
	return ++n_made == failing ? NULL : malloc(n);
}

/* In a process of its own.  Return: its exit status: 0 for the same job, and nothing was missing. */
static int read_with_scarce_memory(const char *text, const struct fleet_job *whole)
{
	struct fleet_job job;
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		json_memory_or_end(scarce_malloc);
		(void)job_read(text, strlen(text), &job);
		_exit(n_made >= failing || memcmp(&job, whole, sizeof(job)) != 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(test_without_memory_there_is_no_other_job_than_was_asked_for)
{
	static const char text[] = JOB(",\"name\":\"a name that is longer than what is set aside for short ones\"");
	const struct fleet_job whole = read_ok(text);
	int status = JSON_MEMORY_STATUS;

	for (failing = 1; status == JSON_MEMORY_STATUS; failing++)
		status = read_with_scarce_memory(text, &whole);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_gt(failing, 10);
}
END_TEST

HARNESS("fleet_job", test_what_is_left_out, test_the_same_question_has_the_same_id, test_what_is_no_job,
    test_written_and_read_it_is_the_same, test_one_that_would_be_too_long_is_told,
    test_without_memory_there_is_no_other_job_than_was_asked_for)
