/* See set.h.  Here: a set's beginning, its steps and its end; set_member.c has its files, set_end.c its verdict. */
#include "clock.h"
#include "set_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void set_step_soon(struct set *s)
{
	event_active(s->step, EV_TIMEOUT, 0);
}

void set_wake(struct set *s)
{
	set_step_soon(s);
}

struct scan_request set_scan_request(struct set *s)
{
	struct scan_request r = s->request.scan;

	r.place = &s->place;
	return r;
}

void set_free(struct set *s)
{
	struct jobs *j = s->jobs;

	queue_remove(s->parts->queue, &s->place);
	if (s->step)
		event_free(s->step);
	audit_forget(s->recording);
	set_file_free(s->file);
	spool_store_return(s->parts->spools, &s->payer, s->rows_paid);
	texts_free(s->texts);
	json_decref(s->names);
	free(s->members);
	free(s->json);
	free(s);
	jobs_release(j);
}

void set_fail(struct set *s, enum trouble trouble, const char *detail)
{
	if (s->over)
		return;
	s->over = true;
	s->trouble = trouble;
	s->detail = detail;
	members_drop(s);
	set_step_soon(s);
}

static void on_step(evutil_socket_t fd, short what, void *ctx)
{
	struct set *s = ctx;

	(void)fd;
	(void)what;
	if (!s->over)
		members_start(s);
	if (!s->over && s->n_put_off > 0 && s->n_done + s->n_put_off == s->n && !s->claimed && !s->sealing)
		set_claim(s);
	if (!s->over && s->n > 0 && s->n_done == s->n && !s->sealing && !s->judge && !s->recording)
		set_judge(s);
	if (s->news)
		s->news(s->ctx);
	else if (s->over && !s->sealing)
		set_free(s);
}

/* ---- the request ---- */

static bool make_parts(struct set *s)
{
	s->step = evtimer_new(s->parts->env->base, on_step, s);
	s->file = set_file_new();
	s->texts = s->request.lines ? NULL : texts_new(s->parts, &s->payer);
	return s->step && s->file && (s->texts || s->request.lines);
}

static void copy_request(struct set *s, const struct set_request *r)
{
	struct scan_request *scan = &s->request.scan;

	s->request = *r;
	snprintf(s->name, sizeof(s->name), "%s", r->scan.name);
	snprintf(s->request_id, sizeof(s->request_id), "%s", r->scan.request_id);
	snprintf(s->tenant, sizeof(s->tenant), "%s", r->scan.tenant);
	scan->name = s->name;
	scan->request_id = s->request_id;
	scan->tenant = s->tenant;
	s->payer = payer_of(scan->peer_uid, s->tenant);
}

enum queue_answer set_admit(
    struct jobs *j, const struct set_request *r, void (*news)(void *ctx), void *ctx, struct set **ret)
{
	struct set *s = calloc(1, sizeof(*s));
	enum queue_answer a;

	if (s == NULL)
		return QUEUE_FULL;
	*s = (struct set){ .jobs = j, .parts = jobs_parts(j), .news = news, .ctx = ctx, .claims = -1 };
	s->lines_end = &s->lines;
	s->started_at = (int64_t)time(NULL);
	s->started_ms = clock_now_ms_exact();
	copy_request(s, r);
	jobs_hold(j);
	a = make_parts(s) ? queue_admit(s->parts->queue, &s->place, s->tenant, r->scan.lane) : QUEUE_FULL;
	if (a != QUEUE_OK) {
		set_free(s);
		return a;
	}
	*ret = s;
	return QUEUE_OK;
}

static void close_all(struct set *s, struct fds *fds)
{
	while (fds->n > 0)
		files_close_client(&s->parts->env->files, s->request.scan.peer_uid, fds->at[--fds->n]);
}

static void free_array(struct fds *fds)
{
	free(fds->at);
	*fds = (struct fds){ 0 };
}

void set_start(struct set *s, json_t *names, struct fds *fds)
{
	size_t n = fds->n;

	s->names = names;
	s->members = calloc(n, sizeof(*s->members));
	if (!s->members) {
		close_all(s, fds);
		set_fail(s, TROUBLE_INTERNAL, "out of memory");
	}
	for (size_t i = 0; i < n && s->members; i++) {
		const char *name = json_string_value(json_array_get(names, i));

		s->members[i] = (struct member){ .set = s, .name = name, .fd = fds->at[i] };
		s->members[i].index = set_file_add(s->file, bytes_of_text(name), SET_MEMBER_UNREADABLE);
	}
	s->n = s->members ? n : 0;
	free_array(fds);
	set_step_soon(s);
}

void set_forget(struct set *s, bool finish)
{
	s->news = NULL;
	if (finish && s->n > 0 && !s->over) {
		lines_drop(s);
		set_step_soon(s);
		return;
	}
	s->over = true;
	members_drop(s);
	if (s->sealing)
		s->abandoned = true;
	else
		set_free(s);
}

/* ---- what the client gets ---- */

struct listing *set_take_line(struct set *s)
{
	struct member *m = s->lines;
	struct listing *line;

	if (m == NULL)
		return NULL;
	s->lines = m->next_line;
	if (!s->lines)
		s->lines_end = &s->lines;
	line = m->line;
	m->line = NULL;
	s->n_lines--;
	s->held -= listing_held(line);
	set_step_soon(s);
	return line;
}

size_t set_held(const struct set *s)
{
	return s->held;
}

bool set_over(struct set *s, struct set_result *ret)
{
	if (!s->over || s->lines)
		return false;
	*ret = (struct set_result){
		.value = s->value, .effective = s->effective, .trouble = s->trouble, .detail = s->detail
	};
	if (!s->json)
		return true;
	ret->verdict = set_listing(s);
	if (!ret->verdict) {
		ret->trouble = TROUBLE_INTERNAL;
		ret->detail = "out of memory";
	}
	return true;
}

/* ---- progress ---- */

static void tell(json_t *o, const struct set *s, void (*line)(void *ctx, const char *text, size_t n), void *ctx)
{
	char *text;

	json_object_set_new(o, "files_done", json_integer((json_int_t)s->n_done));
	json_object_set_new(o, "files", json_integer((json_int_t)s->n));
	text = json_text(o, JSON_COMPACT);
	if (text != NULL)
		line(ctx, text, strlen(text));
	free(text);
	json_decref(o);
}

static json_t *progress_of(const struct scan *scan)
{
	json_t *o = json_object();

	json_object_set_new(o, "event", json_string("progress"));
	json_object_set_new(o, "bytes", json_integer((json_int_t)scan_progress(scan)));
	json_object_set_new(o, "size", json_integer((json_int_t)scan_size(scan)));
	return o;
}

static json_t *queued(const struct scan *first)
{
	size_t position = first ? scan_position(first) : 1;
	json_t *o = json_object();

	json_object_set_new(o, "event", json_string("queued"));
	json_object_set_new(o, "position", json_integer((json_int_t)position));
	return o;
}

void set_tell_progress(const struct set *s, void (*line)(void *ctx, const char *text, size_t n), void *ctx)
{
	const struct scan *waiting = s->judge;
	bool any = false;

	for (size_t i = 0; i < s->next; i++) {
		const struct member *m = &s->members[i];
		json_t *o;

		if (!m->scan || !scan_running(m->scan)) {
			waiting = waiting ? waiting : m->scan;
			continue;
		}
		o = progress_of(m->scan);
		json_object_set_new(o, "name", json_string(m->name));
		tell(o, s, line, ctx);
		any = true;
	}
	if (s->judge && scan_running(s->judge))
		tell(progress_of(s->judge), s, line, ctx);
	else if (!any)
		tell(queued(waiting), s, line, ctx);
}
