/* weighlock convert: the tensors of a file as safetensors.  A jailed worker judges the file and writes what it reads, to a file
 * without a name; once it has ended, a second one judges what was written.  Only what that one accepts, and what holds what the
 * first one promised, gets its name. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "commands.h"
#include "facts.h"
#include "hex.h"
#include "interrupt.h"
#include "local.h"
#include "made_file.h"
#include "memory_file.h"
#include "print.h"
#include "promises.h"
#include "scan_options.h"

#define SHORT_OPTIONS ":hVo:"
#define QUOTA_FREE ((uint64_t)256 << 20) /* a header, and what views of small files may repeat */
#define QUOTA_VIEWS 4u                   /* as much of what the file has */

enum { OPT_FORMAT = 256, OPT_POLICY, OPT_DROP_CODE, OPT_FORCE };

static const struct option long_options[] = {
	{ "drop-code", no_argument, NULL, OPT_DROP_CODE },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "output", required_argument, NULL, 'o' },
	{ "policy", required_argument, NULL, OPT_POLICY },
	USAGE_LONG_OPTIONS,
};

struct convert {
	const char *policy_name, *out;
	char *const *paths;
	enum print_format format;
	bool drop_code, force;
	struct policy *policy;
	struct backend *backend;
	struct walk *walk;
	struct made_file made;
	struct task source, output;
	struct promises promises;
};

/* ---- options ---- */

static int operands_take(struct convert *c, int n, char **operands)
{
	c->paths = operands;
	if (c->out == NULL || c->out[0] == '\0')
		return usage_error("convert", "no output given: -o OUT.safetensors");
	if (n != 1)
		return usage_error("convert", n == 0 ? "no file given" : "one file at a time");
	if (operands[0][0] == '\0')
		return usage_error("convert", "an empty path; in a script, is a variable not set?");
	return -1;
}

static int options_parse(int argc, char **argv, struct convert *c)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1) {
		switch (option) {
		case 'o': c->out = optarg; break;
		case OPT_POLICY: c->policy_name = optarg; break;
		case OPT_DROP_CODE: c->drop_code = true; break;
		case OPT_FORCE: c->force = true; break;
		case OPT_FORMAT:
			if (!format_parse(optarg, &c->format))
				return usage_error("convert", "--format: found '%s', allowed text or json", optarg);
			break;
		default: return usage_option("convert", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
		}
	}
	return operands_take(c, argc - optind, argv + optind);
}

/* ---- workers ---- */

static int patience(const struct backend *b)
{
	int64_t next = b->ops->next_ms(b), now = now_ms();

	if (next == INT64_MAX || next - now > 60000)
		return 60000;
	return next <= now ? 0 : (int)(next - now);
}

/* Return: 0; -EINTR when a signal came. */
static int task_run(struct convert *c, struct task *t)
{
	t->rows = tensor_rows_new(TASK_ROWS_MAX);
	t->digests = true;
	t->started_us = now_us();
	if (t->rows == NULL)
		return -ENOMEM;
	c->backend->ops->start(c->backend, t);
	while (!t->done) {
		struct pollfd fds[] = { { .fd = c->backend->epoll_fd, .events = POLLIN },
			{ .fd = interrupt_fd(), .events = POLLIN } };

		(void)poll(fds, 2, patience(c->backend));
		if (interrupt_signal() != 0)
			return -EINTR;
		c->backend->ops->turn(c->backend, now_ms());
	}
	return t->verdict != NULL ? 0 : -ENOMEM;
}

static const struct fact *fact_of(const struct task *t, enum wlk_fact id)
{
	for (size_t i = 0; t->facts != NULL && i < t->facts->n_facts; i++)
		if (t->facts->facts[i].id == id)
			return &t->facts->facts[i];
	return NULL;
}

static const char *verdict_of(const struct task *t)
{
	const char *text = json_string_value(json_object_get(t->verdict, "verdict"));

	return text != NULL ? text : "error";
}

/* ---- the source ---- */

static int source_open(struct convert *c)
{
	struct input *in = &c->source.input;
	int r = walk_new(c->paths, 1, &c->walk);

	if (r == 0)
		r = walk_next(c->walk, in);
	if (r < 0) {
		say("%s: %s", c->paths[0], strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	if (r == 0 || in->member_at > 0) {
		say("%s is a folder; convert takes one file", c->paths[0]);
		return CLI_USAGE;
	}
	if (in->trouble == NULL)
		return CLI_OK;
	say("%s: %s", in->name, in->trouble);
	return CLI_INCOMPLETE;
}

static uint64_t quota(const struct convert *c)
{
	uint64_t size = c->source.input.size, unpacked = policy_limits(c->policy)->unpacked_bytes;

	if (size > (uint64_t)INT64_MAX / (2 * QUOTA_VIEWS))
		return INT64_MAX;
	return size * QUOTA_VIEWS + unpacked + QUOTA_FREE; /* below 2^62: the limit's own maximum is 2^36 */
}

/* Why there is nothing to be had from the source; NULL: there is. */
static const char *source_refusal(const struct convert *c)
{
	const struct fact *refused = fact_of(&c->source, WLK_FACT_CONVERT_REFUSED);

	if (refused != NULL)
		return convert_reason_text(refused->value.number);
	return fact_of(&c->source, WLK_FACT_CONVERTED) == NULL ? "its worker did not come to an end" : NULL;
}

static void refusal_say(const struct convert *c, const char *why)
{
	const struct fact *subject = fact_of(&c->source, WLK_FACT_CONVERT_SUBJECT);
	const char *format = json_string_value(json_object_get(c->source.verdict, "format"));
	char shown[512];

	say("%s (%s, %s) was not converted: %s%s%s", c->source.input.name, format != NULL ? format : "unknown format",
	    verdict_of(&c->source), why, subject != NULL ? ": " : "",
	    subject != NULL ? text_escape(subject->value.text, shown, sizeof(shown)) : "");
}

static int source_judge(struct convert *c)
{
	const struct task *t = &c->source;
	const char *why = source_refusal(c);

	if (t->value != VERDICT_ACCEPT && !c->drop_code && t->value != VERDICT_ERROR) {
		say("%s is not accepted (%s); --drop-code takes the tensors out and leaves everything else behind",
		    t->input.name, verdict_of(t));
		return CLI_FAILED;
	}
	if (why == NULL && !t->facts->final.complete)
		why = "its scan is not complete";
	if (why == NULL)
		return CLI_OK;
	refusal_say(c, why);
	return t->value == VERDICT_ERROR ? CLI_INCOMPLETE : CLI_FAILED;
}

static int source_convert(struct convert *c)
{
	struct task *t = &c->source;
	int r = made_file_open(&c->made, c->out, c->force);

	if (r < 0) {
		say("%s: %s%s", c->out, strerrordesc_np(-r), r == -EEXIST ? "; --force replaces it" : "");
		return r == -EEXIST ? CLI_USAGE : CLI_INCOMPLETE;
	}
	t->convert = true;
	t->leave = c->drop_code;
	t->output = c->made.fd;
	t->output_max = quota(c);
	r = task_run(c, t);
	if (r < 0) {
		say("ended early: %s", strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	return source_judge(c);
}

/* ---- the output ---- */

/* What only we know: the worker left room for it. */
static int preamble_write(const struct convert *c)
{
	char text[256], digest[SHA256_HEX + 1];
	int n;

	hex_write(c->source.facts->final.sha256, 32, digest);
	n = snprintf(text, sizeof(text), "%s%s%s%s", CONVERT_PREAMBLE_SHA256, digest, CONVERT_PREAMBLE_VERDICT,
	    verdict_of(&c->source));
	if (strlen(verdict_of(&c->source)) != CONVERT_VERDICT_BYTES)
		return -EBADMSG;
	return memory_file_write(c->made.fd, text, (size_t)n, CONVERT_PREAMBLE_AT);
}

static int output_freeze(struct convert *c)
{
	const struct fact *converted = fact_of(&c->source, WLK_FACT_CONVERTED);
	struct input *in = &c->output.input;
	uint64_t size = 0;
	int r = preamble_write(c);

	if (r == 0)
		r = made_file_freeze(&c->made, &size);
	if (r == 0 && size != converted->value.number)
		r = -EBADMSG;
	in->name = strdup(c->out);
	in->fd = r == 0 ? fcntl(c->made.fd, F_DUPFD_CLOEXEC, 3) : -1;
	in->size = size;
	in->source = VERDICT_FILE;
	if (r == 0 && (in->name == NULL || in->fd < 0))
		r = -ENOMEM;
	return r;
}

static int output_check(struct convert *c)
{
	int r = output_freeze(c);

	if (r == 0)
		r = task_run(c, &c->output);
	if (r == 0 && c->output.value == VERDICT_ACCEPT && c->output.listed)
		r = promises_compare(c->source.rows, c->output.rows, &c->promises);
	if (r < 0) {
		say("%s: %s", c->out, strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	if (c->output.value != VERDICT_ACCEPT || !c->output.listed) {
		_cleanup_(freep) char *line = print_json(c->output.verdict, NULL);

		say("%s was not made: what was written is not accepted (%s)", c->out, verdict_of(&c->output));
		if (c->format == PRINT_JSON && line != NULL)
			fputs(line, stdout);
		return CLI_FAILED;
	}
	if (c->promises.broken == NULL)
		return CLI_OK;
	say("%s was not made: %s", c->out, c->promises.broken);
	return CLI_INCOMPLETE;
}

/* ---- telling ---- */

static json_t *describe(const struct convert *c)
{
	const struct promises *p = &c->promises;

	return json_pack("{s:s, s:{s:O, s:I, s:O}, s:O, s:O, s:O, s:O}", "schema", "weighlock.convert/1", "output",
	    "file", json_object_get(c->output.verdict, "file"), "tensors", (json_int_t)p->tensors, "verdict",
	    json_object_get(c->output.verdict, "verdict"), "aliases", p->aliases, "left", p->left, "unchecked",
	    p->unchecked, "source", c->source.verdict);
}

static void print_list(const char *what, const json_t *list, const char *key)
{
	size_t n = json_array_size(list);

	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(list, i);
		_cleanup_(freep) char *safe =
		    text_safe(json_string_value(key != NULL ? json_object_get(item, key) : item));
		const char *why = json_string_value(json_object_get(item, "why"));

		printf(
		    "  %s: %s%s%s\n", what, safe != NULL ? safe : "?", why != NULL ? ": " : "", why != NULL ? why : "");
	}
}

static void tell_text(const struct convert *c)
{
	const struct promises *p = &c->promises;
	_cleanup_(freep) char *name = text_safe(c->out), *from = text_safe(c->source.input.name);
	const char *key;
	json_t *value;

	printf("%s: %llu tensors of %s (%s)\n", name != NULL ? name : "?", (unsigned long long)p->tensors,
	    from != NULL ? from : "?", verdict_of(&c->source));
	json_object_foreach (p->aliases, key, value) {
		_cleanup_(freep) char *alias = text_safe(key), *kept = text_safe(json_string_value(value));

		printf("  another name of %s: %s\n", kept != NULL ? kept : "?", alias != NULL ? alias : "?");
	}
	print_list("left behind", p->left, "name");
	print_list("rests on its writer's word", p->unchecked, NULL);
}

static int tell(const struct convert *c)
{
	if (c->format == PRINT_JSON)
		return output_json(describe(c));
	tell_text(c);
	return output_finish(CLI_OK);
}

/* ---- the command ---- */

static int run(struct convert *c)
{
	int status = policy_find(c->policy_name, &c->policy), r;

	if (status == CLI_OK)
		status = source_open(c);
	if (status != CLI_OK)
		return status;
	if (interrupt_init() < 0 || local_open(c->policy, &c->backend) < 0)
		return CLI_INCOMPLETE;
	status = source_convert(c);
	if (status == CLI_OK)
		status = output_check(c);
	if (interrupt_signal() != 0)
		return 128 + interrupt_signal();
	if (status != CLI_OK)
		return status;
	r = made_file_place(&c->made, c->force);
	if (r < 0) {
		say("%s: %s", c->out, strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	return tell(c);
}

static void task_done(struct task *t)
{
	input_done(&t->input);
	tensor_rows_free(t->rows);
	json_decref(t->verdict);
	facts_free(t->facts);
	free(t->line);
}

int cmd_convert(int argc, char **argv)
{
	struct convert c = { .policy_name = "default",
		.format = PRINT_TEXT,
		.made = { .dir = -1, .fd = -1 },
		.source.input.fd = -1,
		.output.input.fd = -1 };
	int status = options_parse(argc, argv, &c);

	if (status >= 0)
		return status;
	status = run(&c);
	if (c.backend != NULL)
		c.backend->ops->close(c.backend);
	task_done(&c.source);
	task_done(&c.output);
	promises_done(&c.promises);
	made_file_done(&c.made);
	walk_free(c.walk);
	policy_free(c.policy);
	return status;
}
