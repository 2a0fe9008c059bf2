/* The files that are converted: opened, given to workers, judged by what those say.  See convert_impl.h. */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert_impl.h"
#include "interrupt.h"
#include "memory_file.h"

#define QUOTA_FREE ((uint64_t)256 << 20) /* a header, and what views of small files may repeat */
#define QUOTA_VIEWS 4u                   /* as much of what the file has */

/* ---- workers ---- */

static int patience(const struct backend *b)
{
	int64_t next = b->ops->next_ms(b), now = now_ms();

	if (next == INT64_MAX || next - now > 60000)
		return 60000;
	return next <= now ? 0 : (int)(next - now);
}

/* Return: 0; -EINTR when a signal came. */
int convert_task(struct convert *c, struct task *t)
{
	t->rows = tensor_rows_new(TASK_ROWS_MAX);
	t->digests = true;
	t->started_us = now_us();
	if (t->rows == NULL)
		return -ENOMEM;
	c->backend->ops->start(c->backend, t);
	while (!t->done && !t->put_off) {
		struct pollfd fds[] = { { .fd = c->backend->epoll_fd, .events = POLLIN },
			{ .fd = interrupt_fd(), .events = POLLIN } };

		(void)poll(fds, 2, patience(c->backend));
		if (interrupt_signal() != 0)
			return -EINTR;
		c->backend->ops->turn(c->backend, now_ms());
	}
	return t->put_off || t->verdict != NULL ? 0 : -ENOMEM;
}

const struct fact *convert_fact(const struct task *t, enum wlk_fact id)
{
	for (size_t i = 0; t->facts != NULL && i < t->facts->n_facts; i++)
		if (t->facts->facts[i].id == id)
			return &t->facts->facts[i];
	return NULL;
}

const char *convert_verdict(const struct task *t)
{
	const char *text = json_string_value(json_object_get(t->verdict, "verdict"));

	return text != NULL ? text : "error";
}

/* ---- the source ---- */

static int source_open(struct convert *c, struct original *s, const char *path)
{
	struct input *in = &s->task.input;
	int r = walk_next(c->walk, in);

	if (r < 0) {
		say("%s: %s", path, strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	if (r == 0 || in->member_at > 0) {
		say("%s is a folder; convert takes files", path);
		return CLI_USAGE;
	}
	if (in->trouble == NULL)
		return CLI_OK;
	say("%s: %s", in->name, in->trouble);
	return CLI_INCOMPLETE;
}

int convert_sources_open(struct convert *c)
{
	int status = CLI_OK;

	c->sources = calloc(c->n_sources, sizeof(*c->sources));
	if (c->sources == NULL || walk_new(c->paths, c->n_sources, &c->walk) < 0) {
		c->n_sources = 0;
		say("%s", strerrordesc_np(ENOMEM));
		return CLI_INCOMPLETE;
	}
	for (size_t i = 0; i < c->n_sources; i++) {
		c->sources[i].task.input.fd = c->sources[i].fd = -1;
		c->sources[i].made = (struct made_file){ .dir = -1, .fd = -1 };
	}
	for (size_t i = 0; i < c->n_sources && status == CLI_OK; i++)
		status = source_open(c, &c->sources[i], c->paths[i]);
	return status;
}

static uint64_t quota(const struct convert *c, const struct task *t)
{
	uint64_t size = t->input.size, unpacked = policy_limits(c->policy)->unpacked_bytes;

	if (size > (uint64_t)INT64_MAX / (2 * QUOTA_VIEWS))
		return INT64_MAX;
	return size * QUOTA_VIEWS + unpacked + QUOTA_FREE; /* below 2^62: the limit's own maximum is 2^36 */
}

/* Why there is nothing to be had from the source; NULL: there is. */
static const char *source_refusal(const struct task *t)
{
	const struct fact *refused = convert_fact(t, WLK_FACT_CONVERT_REFUSED);

	if (refused != NULL)
		return convert_reason_text(refused->value.number);
	return convert_fact(t, WLK_FACT_CONVERTED) == NULL ? "its worker did not come to an end" : NULL;
}

static void refusal_say(const struct task *t, const char *why)
{
	const struct fact *subject = convert_fact(t, WLK_FACT_CONVERT_SUBJECT);
	const char *format = json_string_value(json_object_get(t->verdict, "format"));
	char shown[512];

	say("%s (%s, %s) was not converted: %s%s%s", t->input.name, format != NULL ? format : "unknown format",
	    convert_verdict(t), why, subject != NULL ? ": " : "",
	    subject != NULL ? text_escape(subject->value.text, shown, sizeof(shown)) : "");
}

int convert_source_judge(const struct convert *c, struct original *s, const char *why)
{
	const struct task *t = &s->task;

	if (t->value != VERDICT_ACCEPT && !c->drop_code && t->value != VERDICT_ERROR) {
		say("%s is not accepted (%s); --drop-code takes the tensors out and leaves everything else behind",
		    t->input.name, convert_verdict(t));
		return CLI_FAILED;
	}
	if (why == NULL && !t->facts->final.complete)
		why = "its scan is not complete";
	if (why == NULL) {
		hex_write(t->facts->final.sha256, 32, s->sha256);
		return CLI_OK;
	}
	refusal_say(t, why);
	return t->value == VERDICT_ERROR ? CLI_INCOMPLETE : CLI_FAILED;
}

int convert_source_convert(struct convert *c, struct original *s)
{
	struct task *t = &s->task;
	int r = made_file_open(&s->made, c->out, c->force || c->composed);

	if (r < 0) {
		say("%s: %s%s", c->out, strerrordesc_np(-r), r == -EEXIST ? "; --force replaces it" : "");
		return r == -EEXIST ? CLI_USAGE : CLI_INCOMPLETE;
	}
	t->convert = true;
	t->leave = c->drop_code || s->mixed; /* what is elsewhere comes from there */
	t->cast = c->cast;
	t->output = s->made.fd;
	t->output_max = quota(c, t);
	r = convert_task(c, t);
	if (r < 0) {
		say("ended early: %s", strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	return convert_source_judge(c, s, source_refusal(t));
}

/* What only we know: the worker left room for it. */
static int preamble_write(const struct original *s)
{
	const char *verdict = convert_verdict(&s->task);
	char text[256];
	int n = snprintf(
	    text, sizeof(text), "%s%s%s%s", CONVERT_PREAMBLE_SHA256, s->sha256, CONVERT_PREAMBLE_VERDICT, verdict);

	if (strlen(verdict) != CONVERT_VERDICT_BYTES)
		return -EBADMSG;
	return memory_file_write(s->made.fd, text, (size_t)n, CONVERT_PREAMBLE_AT);
}

/* What a worker wrote, for reading. */
int convert_source_freeze(struct original *s)
{
	const struct fact *converted = convert_fact(&s->task, WLK_FACT_CONVERTED);
	uint64_t size = 0;
	int r = preamble_write(s);

	if (r == 0)
		r = made_file_freeze(&s->made, &size);
	return r == 0 && size != converted->value.number ? -EBADMSG : r;
}
