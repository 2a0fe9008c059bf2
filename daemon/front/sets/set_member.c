/* The files of a set, each on its way from a descriptor to a verdict.  What one of them ends in is that one's: a file that
 * cannot be read, or whose worker dies, is an `error` among the others, and the set's verdict is at best that. */
#include "set_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "log.h"
#include "rate.h"

/* ---- judged ---- */

static void add_line(struct set *s, struct member *m, struct listing *line)
{
	if (!s->news) { /* nobody will take it */
		listing_free(line);
		return;
	}
	m->line = line;
	m->next_line = NULL;
	*s->lines_end = m;
	s->lines_end = &m->next_line;
	s->n_lines++;
	s->held += listing_held(line);
}

/* The verdict, and with tensors=1 the list of them.  @rows: taken. */
static struct listing *make_line(struct set *s, const struct facts *f, const char *json, struct rows *rows)
{
	struct listing *line = listing_new(json);

	if (!s->request.tensors) {
		rows_free(rows);
		return line;
	}
	rows = rows ? rows : rows_new(s->parts->spools, &s->payer);
	if (line != NULL && rows != NULL && listing_add_rows(line, rows, facts_tensors_listed(f)))
		return line;
	if (line == NULL)
		rows_free(rows);
	listing_free(line);
	return NULL;
}

static void keep_text(struct set *s, struct member *m, const char *json)
{
	int r = texts_add(s->texts, json, &m->text);

	if (r == -EFBIG)
		set_fail(s, TROUBLE_TOO_LARGE,
		    "the verdicts of the files together are larger than 64 MiB: ask for application/x-ndjson");
	else if (r == -ENOBUFS)
		set_fail(s, TROUBLE_BUSY, "the room for verdicts is taken at the moment");
	else if (r < 0)
		set_fail(s, TROUBLE_INTERNAL, "the verdicts could not be kept");
}

/* @rows: taken; NULL: none. */
static void judged(
    struct member *m, const struct facts *f, const struct verdict *v, const char *json, struct rows *rows)
{
	struct set *s = m->set;
	struct listing *line;

	set_file_judged(s->file, m->index, f, v->value, rows ? rows_at(rows) : NULL);
	set_file_excepted(s->file, m->index, v->effective);
	m->state = MEMBER_DONE;
	s->n_done++;
	s->n_busy--;
	set_step_soon(s);
	if (!s->request.lines) {
		rows_free(rows);
		keep_text(s, m, json);
		return;
	}
	line = make_line(s, f, json, rows);
	if (line != NULL)
		add_line(s, m, line);
	else
		set_fail(s, TROUBLE_INTERNAL, "out of memory");
}

/* ---- not judged ---- */

static void drop_unjudged(struct member *m)
{
	audit_forget(m->recording);
	m->recording = NULL;
	facts_free(m->facts);
	m->facts = NULL;
	json_decref(m->verdict.json);
	m->verdict = (struct verdict){ 0 };
}

static void give_unjudged(struct member *m)
{
	char *json = verdict_dump(&m->verdict);

	if (json != NULL)
		judged(m, m->facts, &m->verdict, json, NULL);
	else
		set_fail(m->set, TROUBLE_INTERNAL, "out of memory");
	free(json);
	drop_unjudged(m);
}

static void on_unjudged_recorded(void *ctx, bool recorded)
{
	struct member *m = ctx;

	m->recording = NULL;
	if (recorded)
		give_unjudged(m);
	else
		set_fail(m->set, TROUBLE_NOT_RECORDED, AUDIT_NOT_RECORDED);
}

static void release_unjudged(struct member *m)
{
	struct set *s = m->set;
	const struct audit_event e = { .kind = "verdict",
		.verdict = m->verdict.json,
		.tenant = s->tenant,
		.uid = s->request.scan.peer_uid,
		.pid = s->request.scan.peer_pid };
	enum audit_step step = audit_verdict(&s->parts->audit, &e, on_unjudged_recorded, m, &m->recording);

	if (step == AUDIT_RELEASE)
		give_unjudged(m);
	else if (step == AUDIT_REFUSE)
		set_fail(s, TROUBLE_NOT_RECORDED, AUDIT_NOT_RECORDED);
}

/* Nobody could judge it, or not now. */
static void unjudged(struct member *m, enum wlk_cause cause)
{
	struct set *s = m->set;
	const struct verdict_context c = { .name = m->name,
		.tenant = s->tenant,
		.request_id = s->request_id,
		.source = VERDICT_FD,
		.started_at = (int64_t)time(NULL) };

	m->facts = facts_unread(cause, m->size);
	if (!m->facts || verdict_make(s->request.scan.policy, m->facts, &c, &m->verdict) < 0) {
		set_fail(s, TROUBLE_INTERNAL, "out of memory");
		return;
	}
	tally_verdict(&s->parts->env->tally, &m->verdict);
	s->parts->env->tally.causes[cause]++;
	log_line("not judged: id=%s file=%zu of %zu error=%s", s->request_id, m->index + 1, s->n, cause_text(cause));
	release_unjudged(m);
}

/* ---- the scan ---- */

/* The set keeps a copy of the rows, and pays for it; where the rows themselves are not needed any more, with what was paid
 * for them. */
static bool pay_rows(struct set *s, struct rows *rows)
{
	uint64_t n = rows ? tensor_rows_bytes(rows_at(rows)) : 0;

	if (rows != NULL && !s->request.tensors)
		rows_repay(rows);
	if (!spool_store_lend(s->parts->spools, &s->payer, n))
		return false;
	s->rows_paid += n;
	return true;
}

static void put_off(struct member *m, int fd)
{
	struct set *s = m->set;

	m->fd = fd;
	m->state = MEMBER_PUT_OFF;
	s->n_put_off++;
	s->n_busy--;
	set_step_soon(s);
}

static void on_scanned(void *ctx, const struct scan_result *r)
{
	struct member *m = ctx;

	m->scan = NULL;
	if (r->put_off) {
		put_off(m, r->input);
		return;
	}
	if (r->rows &&
	    r->facts->final.cause == WLK_CAUSE_LIMIT_OUTPUT) /* half of what would be too much is of no use */
		tensor_rows_discard(rows_at(r->rows));
	if (r->has_verdict && pay_rows(m->set, r->rows)) {
		judged(
		    m, r->facts, &(struct verdict){ .value = r->value, .effective = r->effective }, r->json, r->rows);
		return;
	}
	rows_free(r->rows);
	if (!r->has_verdict && r->trouble == TROUBLE_NOT_RECORDED)
		set_fail(m->set, r->trouble, r->detail);
	else
		unjudged(m, WLK_CAUSE_INTERNAL); /* which says: later */
}

/* ---- the descriptor ---- */

/* It has not been given to its scan: let go of what it holds, but for that. */
static void let_go_of_file(struct member *m)
{
	struct set *s = m->set;

	if (m->check)
		file_check_forget(m->check); /* closes it, later */
	else
		files_close_client(&s->parts->env->files, s->request.scan.peer_uid, m->fd);
	m->check = NULL;
	m->fd = -1;
}

/* Nobody wants it any more, and the set may go away. */
static void let_go(struct member *m)
{
	let_go_of_file(m);
	if (m->scan)
		scan_forget(m->scan, false);
	m->scan = NULL;
}

/* Its scan will not begin, or not now, and the set goes on: with the place it came in with. */
static void give_back_scan(struct member *m)
{
	if (m->scan)
		scan_give_back(m->scan);
	m->scan = NULL;
}

static void on_checked(void *ctx, const struct file_facts *facts)
{
	struct member *m = ctx;
	int fd = m->fd;

	m->check = NULL;
	m->size = facts->error < 0 ? 0 : facts->size;
	if (facts->error < 0 || facts->size > m->set->request.size_max) {
		let_go_of_file(m);
		give_back_scan(m);
		unjudged(m, facts->error < 0 ? WLK_CAUSE_INPUT_UNREADABLE : WLK_CAUSE_LIMIT_SIZE);
		return;
	}
	rate_pay(m->set->parts->tenants, m->set->tenant, 0, facts->size, clock_now_ms());
	m->sealed = facts->sealed;
	m->fd = -1; /* the scan's from here on */
	scan_start_fd(m->scan, fd, facts->size, facts->sealed);
}

static struct scan_request request_of(struct member *m)
{
	struct scan_request r = set_scan_request(m->set);

	r.name = m->name;
	r.task = JOB_FILE;
	r.part = m->again ? JOB_PART_MEMBER_AGAIN : JOB_PART_MEMBER;
	r.by_descriptor = true;
	r.rows = !m->again || m->set->request.tensors; /* one that was put off speaks of nobody */
	r.digests = m->set->request.digests;
	r.stats = m->set->request.tensors;
	return r;
}

/* What the others say goes along. */
static struct scan_request request_again(struct member *m)
{
	struct scan_request r;

	m->again = true;
	r = request_of(m);
	if (m->set->claims_size > 0) {
		r.document = m->set->claims;
		r.document_size = m->set->claims_size;
		r.member = (uint32_t)m->index; /* 1,024 at most */
	}
	r.digests = r.rows && r.digests;
	return r;
}

/* Its descriptor has been looked at.  Return: as member_start(). */
static bool member_start_again(struct member *m)
{
	struct set *s = m->set;
	const struct scan_request r = request_again(m);
	enum queue_answer a = scan_admit(s->jobs, &r, on_scanned, m, &m->scan);
	int fd = m->fd;

	if (a != QUEUE_OK && s->n_busy > 0)
		return false;
	s->n_busy++;
	s->n_put_off--;
	m->state = MEMBER_BUSY;
	if (a != QUEUE_OK) {
		let_go_of_file(m);
		unjudged(m, WLK_CAUSE_INTERNAL);
		return true;
	}
	m->fd = -1;
	scan_start_fd(m->scan, fd, m->size, m->sealed);
	return true;
}

/* Return: false when it must wait: for one of its own to end, or for others' descriptors to be looked at. */
static bool member_start(struct member *m)
{
	static const struct timeval later = { .tv_usec = SET_CHECK_RETRY_MS * 1000 };
	struct set *s = m->set;
	const struct scan_request r = request_of(m);
	enum queue_answer a = scan_admit(s->jobs, &r, on_scanned, m, &m->scan);

	if (a != QUEUE_OK && s->n_busy > 0)
		return false;
	s->n_busy++;
	m->state = MEMBER_BUSY;
	if (a != QUEUE_OK) { /* with a place of its own: no memory, or its storage is stuck */
		let_go_of_file(m);
		unjudged(m, WLK_CAUSE_INTERNAL);
		return true;
	}
	m->check = files_check(&s->parts->env->files, s->request.scan.peer_uid, m->fd, on_checked, m);
	if (m->check)
		return true;
	s->n_busy--;
	m->state = MEMBER_WAITING;
	give_back_scan(m);
	evtimer_add(s->step, &later);
	return false;
}

static bool may_start(const struct set *s)
{
	return !s->over && s->n_busy + s->n_lines < s->parts->env->settings->config.workers + SET_AHEAD;
}

static void put_off_start(struct set *s)
{
	for (; s->next_again < s->n && may_start(s); s->next_again++) {
		struct member *m = &s->members[s->next_again];

		if (m->state == MEMBER_PUT_OFF && !member_start_again(m))
			return;
	}
}

void members_start(struct set *s)
{
	while (s->next < s->n && may_start(s) && member_start(&s->members[s->next]))
		s->next++;
	if (s->claimed)
		put_off_start(s);
}

void lines_drop(struct set *s)
{
	for (struct member *m = s->lines; m; m = m->next_line) {
		listing_free(m->line);
		m->line = NULL;
	}
	s->lines = NULL;
	s->lines_end = &s->lines;
	s->n_lines = s->held = 0;
}

void members_drop(struct set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct member *m = &s->members[i];

		if (m->state != MEMBER_DONE)
			let_go(m);
		drop_unjudged(m);
		m->state = MEMBER_DONE;
	}
	lines_drop(s);
	if (s->judge)
		scan_forget(s->judge, false);
	s->judge = NULL;
}
