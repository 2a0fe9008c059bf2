/* See window.h. */
#include "window.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "interrupt.h"
#include "set_file.h"
#include "verdict_json.h"

/* Rows held back at a time: then nothing new is begun.  Those of files under way come on top. */
#define ROWS_HELD_MAX ((uint64_t)512 << 20)

struct window {
	const struct window_options *o;
	struct backend *backend;
	struct walk *walk;
	struct progress *progress;
	const struct window_ops *ops;
	void *ctx;
	struct input pending; /* found, but its turn is after a folder's own slot */
	bool has_pending;
	bool walked; /* nothing more to come */
	bool news;   /* something became known without a worker: there is nothing to wait for */
	int error;   /* negative errno that ends it all */
	struct folder
	    *folder;     /* that inputs are being found in; NULL: none.  Owned by its own slot once that is there */
	size_t first, n; /* slots[first], ..., n of them, in a ring */
	size_t n_running;
	struct slot slots[WINDOW_MAX];
};

static struct slot *slot_at(struct window *w, size_t i)
{
	return &w->slots[(w->first + i) % WINDOW_MAX];
}

void window_fail(struct window *w, int error)
{
	if (w->error == 0)
		w->error = error;
}

/* ---- folders ---- */

static void folder_free(struct window *w, struct folder *f)
{
	if (f != NULL && w->ops->forget != NULL)
		w->ops->forget(w->ctx, f);
	if (f != NULL)
		set_file_free(f->set);
	free(f);
}

static struct folder *folder_new(struct window *w, size_t path)
{
	struct folder *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	*f = (struct folder){ .set = set_file_new(), .path = path, .started_us = now_us() };
	if (f->set != NULL)
		return f;
	folder_free(w, f);
	return NULL;
}

/* Make @slot a member of the folder that its file was found in. */
static void folder_join(struct window *w, struct slot *slot)
{
	const struct input *in = &slot->task.input;

	if (!w->o->sets || in->member_at == 0)
		return;
	if (w->folder == NULL)
		w->folder = folder_new(w, in->path);
	if (w->folder == NULL) {
		window_fail(w, -ENOMEM);
		return;
	}
	slot->folder = w->folder;
	slot->member = set_file_add(w->folder->set, bytes_of_text(in->name + in->member_at), in->state);
	w->folder->n_open++;
}

/* What is known of a member; where the daemon judged, no more than its verdict says. */
static void folder_judged(struct slot *slot)
{
	struct task *t = &slot->task;
	struct folder *folder = slot->folder;
	struct facts told;

	folder->n_open--;
	if (t->input.trouble != NULL)
		return;
	if (t->facts != NULL) {
		set_file_judged(folder->set, slot->member, t->facts, t->value, t->rows);
	} else if (t->verdict != NULL) {
		verdict_facts(t->verdict, &told);
		set_file_judged(folder->set, slot->member, &told, t->value, NULL);
		folder->speaks = folder->speaks || verdict_speaks_of_others(t->verdict);
	}
	if (t->verdict != NULL)
		set_file_excepted(folder->set, slot->member, t->effective);
}

/* ---- results ---- */

static void slot_clear(struct slot *slot)
{
	struct task *t = &slot->task;

	input_done(&t->input);
	json_decref(t->verdict);
	facts_free(t->facts);
	free(t->line);
	free(t->report);
	t->report = NULL;
	t->report_n = t->report_room = 0;
	t->verdict = NULL;
	t->facts = NULL;
	t->line = NULL;
}

static void slot_free(struct window *w, struct slot *slot)
{
	slot_clear(slot);
	tensor_rows_free(slot->task.rows);
	free(slot->text);
	free(slot->name);
	json_decref(slot->note);
	free(slot->seen);
	if (slot->of_folder)
		folder_free(w, slot->folder);
	*slot = (struct slot){ .task.input.fd = -1 };
}

/* Where the daemon judged, a worse one than its files' is told whatever they are. */
static bool folder_has_verdict(const struct folder *folder, enum verdict_value value)
{
	return set_file_is_set(folder->set) || folder->speaks || value > set_file_worst(folder->set);
}

/* What the caller needs of it is taken at once: a verdict's text is much smaller than its JSON tree. */
static void slot_finish(struct window *w, struct slot *slot)
{
	slot->state = SLOT_FINISHED;
	w->n_running--;
	if (slot->folder != NULL && !slot->of_folder)
		folder_judged(slot);
	if (slot->task.verdict == NULL)
		window_fail(w, -ENOMEM);
	else if (!slot->of_folder || folder_has_verdict(slot->folder, slot->task.value))
		w->ops->done(w->ctx, slot);
	if (!w->o->rows) {
		tensor_rows_free(slot->task.rows);
		slot->task.rows = NULL;
	}
	slot_clear(slot);
}

/* All members are judged: compare them, if there is anything to compare. */
static void folder_start(struct window *w, struct slot *slot)
{
	struct task *t = &slot->task;

	if (w->ops->set_known != NULL && w->ops->set_known(w->ctx, slot)) {
		slot->state = SLOT_FINISHED;
		return;
	}
	if (!set_file_is_set(slot->folder->set) && !slot->folder->speaks) {
		slot->state = SLOT_FINISHED;
		return;
	}
	slot->state = SLOT_RUNNING;
	w->n_running++;
	t->started_us = slot->folder->started_us;
	t->set = slot->folder->set;
	if (w->backend->ops->start_set == NULL)
		w->backend->ops->start(w->backend, t);
	else
		task_fail(t, w->o->policy, slot->folder->busy ? WLK_CAUSE_BUSY : WLK_CAUSE_INTERNAL,
		    "the daemon did not take these files as a set, so nobody compared them",
		    slot->folder->busy ? "later" : "never");
}

/* All files of the folder go to the backend at once, with the slot of the folder itself, the last one. */
static void folder_send(struct window *w, struct slot *own)
{
	struct folder *folder = own->folder;
	struct task *tasks[BACKEND_SET_MAX];
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		struct slot *slot = slot_at(w, i);

		if (slot->state != SLOT_HELD || slot->folder != folder)
			continue;
		slot->state = SLOT_RUNNING;
		tasks[n++] = &slot->task;
	}
	own->state = SLOT_RUNNING;
	own->task.started_us = folder->started_us;
	own->task.set = folder->set;
	folder->n_held = 0;
	w->n_running += n + 1;
	w->backend->ops->start_set(w->backend, tasks, n, &own->task);
}

/* The backend gives a task back: its whole folder goes file by file. */
static void slot_again(struct window *w, struct slot *slot)
{
	slot->folder->busy = slot->folder->busy || slot->task.busy;
	slot->task.again = slot->task.busy = false;
	slot->folder->singly = true;
	slot->state = slot->of_folder ? SLOT_WAITING : SLOT_HELD;
	w->n_running--;
}

/* Its worker found that nobody knows what it is. */
static void slot_put_off(struct window *w, struct slot *slot)
{
	struct folder *folder = slot->folder;

	slot->task.put_off = false;
	slot->state = SLOT_PUT_OFF;
	w->n_running--;
	folder->unheld = folder->unheld || folder->n_put_off >= w->backend->set_max;
	folder->n_put_off++;
}

/* Return: was there anything? */
static bool slot_turn(struct window *w, struct slot *slot)
{
	if (slot->state == SLOT_WAITING && slot->folder->n_open == 0)
		folder_start(w, slot);
	if (slot->state == SLOT_RUNNING && slot->task.again)
		slot_again(w, slot);
	if (slot->state == SLOT_RUNNING && slot->task.put_off)
		slot_put_off(w, slot);
	if (slot->state != SLOT_RUNNING || !slot->task.done)
		return false;
	slot_finish(w, slot);
	return true;
}

/* Whatever is done, told; whatever is next in order, taken. */
static void results_take(struct window *w)
{
	for (size_t i = 0; i < w->n && w->error == 0; i++)
		(void)slot_turn(w, slot_at(w, i));
	while (w->n > 0 && slot_at(w, 0)->state == SLOT_FINISHED && w->error == 0) {
		window_fail(w, w->ops->take(w->ctx, slot_at(w, 0)));
		slot_free(w, slot_at(w, 0));
		w->first = (w->first + 1) % WINDOW_MAX;
		w->n--;
	}
}

/* ---- inputs ---- */

/* Return: was there nothing to be judged any more?  Of a slot that counts as running. */
static bool slot_known(struct window *w, struct slot *slot)
{
	enum window_known known = w->ops->known != NULL ? w->ops->known(w->ctx, slot) : WINDOW_NEW;

	w->news = w->news || known != WINDOW_NEW;
	if (known == WINDOW_PUT_OFF)
		slot->task.put_off = true;
	if (known != WINDOW_KNOWN)
		return known != WINDOW_NEW;
	slot->state = SLOT_FINISHED;
	w->n_running--;
	if (slot->folder != NULL)
		slot->folder->n_open--;
	tensor_rows_free(slot->task.rows);
	slot->task.rows = NULL;
	slot_clear(slot);
	return true;
}

static void task_begin(struct window *w, struct task *t)
{
	t->started_us = now_us();
	t->digests = w->o->digests;
	t->stats = w->o->stats;
	t->calls = w->o->calls && t->set == NULL;
	t->views = w->o->views && t->set == NULL;
	if (t->input.trouble != NULL)
		task_fail(t, w->o->policy, WLK_CAUSE_INPUT_UNREADABLE, t->input.trouble, "never");
	else
		w->backend->ops->start(w->backend, t);
}

static uint64_t rows_held(struct window *w)
{
	uint64_t held = 0;

	for (size_t i = 0; i < w->n; i++)
		held += slot_at(w, i)->task.rows != NULL ? tensor_rows_held(slot_at(w, i)->task.rows) : 0;
	return held;
}

/* Are its files held until they can be sent together? */
static bool folder_holds(const struct window *w, const struct folder *folder)
{
	return w->backend->ops->start_set != NULL && !folder->singly;
}

/* Behind a file that is held back there may be as many results as a folder has files that can be. */
static size_t places(const struct window *w)
{
	bool holds_back = w->folder != NULL && w->folder->n_put_off > 0 && !w->folder->unheld;

	return w->o->n_jobs + (holds_back ? BACKEND_SET_MAX : WAITING_MAX);
}

static bool has_room(struct window *w)
{
	if (w->folder != NULL && folder_holds(w, w->folder))
		return true;
	if (w->n_running >= w->o->n_jobs || w->n >= places(w))
		return false;
	return w->n == 0 || rows_held(w) < ROWS_HELD_MAX;
}

/* A new slot at the end. */
static struct slot *slot_push(struct window *w, const struct input *in, enum slot_state state)
{
	struct slot *slot = slot_at(w, w->n++);

	assert(w->n <= WINDOW_MAX);
	*slot = (struct slot){ .state = state, .task.input = *in, .task.identify = w->o->identify };
	return slot;
}

/* The folder's own slot, behind those of its files. */
static void folder_end(struct window *w)
{
	struct input in = { .name = strdup(walk_given(w->walk, w->folder->path)), .fd = -1 };
	struct slot *slot = slot_push(w, &in, SLOT_WAITING);

	slot->folder = w->folder;
	slot->of_folder = true;
	slot->folder->over = true;
	w->folder = NULL;
	if (in.name == NULL)
		window_fail(w, -ENOMEM);
	else if (folder_holds(w, slot->folder) && slot->folder->n_held > 0)
		folder_send(w, slot);
}

/* Return: is it held, to be sent with the others? */
static bool file_held(struct window *w, struct slot *slot)
{
	struct folder *folder = slot->folder;

	if (folder == NULL)
		return false;
	/* Behind the first file that is held nothing is told: what cannot be read takes places as well, and one must be
	 * left for the folder's own slot. */
	if (w->n >= WINDOW_MAX - 1)
		folder->singly = true;
	if (slot->task.input.trouble != NULL || !folder_holds(w, folder))
		return false;
	if (folder->n_held == w->backend->set_max)
		folder->singly = true;
	folder->n_held++;
	slot->state = SLOT_HELD;
	return true;
}

static void file_begin(struct window *w)
{
	struct slot *slot = slot_push(w, &w->pending, SLOT_RUNNING);

	w->has_pending = false;
	folder_join(w, slot);
	if (file_held(w, slot))
		return;
	if (slot->folder != NULL)
		slot->task.part = slot->folder->unheld ? JOB_PART_MEMBER_AGAIN : JOB_PART_MEMBER;
	w->n_running++;
	if (slot_known(w, slot))
		return;
	if (w->o->rows || slot->folder != NULL) /* those of a set's members are what the set is judged by */
		slot->task.rows = tensor_rows_new(TASK_ROWS_MAX);
	if ((w->o->rows || slot->folder != NULL) && slot->task.rows == NULL)
		window_fail(w, -ENOMEM);
	else
		task_begin(w, &slot->task);
}

/* Files that were held, and go one by one after all. */
static void held_begin(struct window *w)
{
	for (size_t i = 0; i < w->n && w->error == 0 && w->n_running < w->o->n_jobs; i++) {
		struct slot *slot = slot_at(w, i);

		if (slot->state != SLOT_HELD || !slot->folder->singly)
			continue;
		slot->state = SLOT_RUNNING;
		w->n_running++;
		task_begin(w, &slot->task);
	}
}

/* May the files of a folder that are held back be judged now?  When all the others have been, it is written down what those
 * say of them. */
static bool folder_goes_on(struct window *w, struct folder *f)
{
	if (f->unheld || f->claimed)
		return true;
	if (!f->over || f->n_open > f->n_put_off)
		return false;
	f->claimed = true;
	if (w->ops->recall != NULL)
		window_fail(w, w->ops->recall(w->ctx, f));
	f->claims = set_file_claims_bytes(f->set, f->n_put_off) > 0 ? set_file_claims(f->set, &f->claims_size) : -1;
	if (f->claims < 0)
		f->claims_size = 0;
	return true;
}

static void put_off_begin(struct window *w, struct slot *slot)
{
	struct folder *folder = slot->folder;
	struct task *t = &slot->task;

	folder->n_put_off--;
	t->part = JOB_PART_MEMBER_AGAIN;
	t->document = folder->claims;
	t->document_size = folder->unheld ? 0 : folder->claims_size;
	t->member = (uint32_t)slot->member; /* SET_MEMBERS_MAX at most; beyond that there is no document */
	tensor_rows_free(t->rows);
	t->rows = w->o->rows ? tensor_rows_new(TASK_ROWS_MAX) : NULL; /* it speaks of nobody */
	if (w->o->rows && t->rows == NULL)
		window_fail(w, -ENOMEM);
	slot->state = SLOT_RUNNING;
	w->n_running++;
	if (!slot_known(w, slot))
		task_begin(w, t);
}

static void held_back_begin(struct window *w)
{
	for (size_t i = 0; i < w->n && w->error == 0 && w->n_running < w->o->n_jobs; i++) {
		struct slot *slot = slot_at(w, i);

		if (slot->state == SLOT_PUT_OFF && folder_goes_on(w, slot->folder))
			put_off_begin(w, slot);
	}
}

/* Nothing is under way and the window is full: the rest of the folder cannot be waited for. */
static void folder_unhold(struct window *w)
{
	if (w->n > 0 && w->n_running == 0 && slot_at(w, 0)->state == SLOT_PUT_OFF)
		slot_at(w, 0)->folder->unheld = true;
}

/* Return: is there something to begin? */
static bool input_find(struct window *w)
{
	int r;

	if (w->has_pending || w->walked)
		return w->has_pending || w->folder != NULL;
	r = walk_next(w->walk, &w->pending);
	w->has_pending = r > 0;
	w->walked = r == 0;
	if (r < 0 && r != -EINTR)
		window_fail(w, r);
	return w->has_pending || (w->walked && w->folder != NULL);
}

static bool folder_is_over(const struct window *w)
{
	if (w->folder == NULL)
		return false;
	return w->walked || w->pending.path != w->folder->path;
}

static void progress_show(struct window *w, int64_t now)
{
	struct progress_state state = { 0 };

	if (w->ops->progress == NULL)
		return;
	w->ops->progress(w->ctx, &state);
	for (size_t i = 0; i < w->n; i++) {
		const struct task *t = &slot_at(w, i)->task;

		if (slot_at(w, i)->state != SLOT_RUNNING)
			continue;
		state.bytes_done += t->progress;
		if (state.name == NULL) {
			state.name = t->input.name;
			state.size = t->input.size;
			state.at = t->progress;
		}
	}
	progress_draw(w->progress, &state, now);
}

static void inputs_take(struct window *w)
{
	while (w->error == 0 && interrupt_signal() == 0 && has_room(w) && input_find(w)) {
		if (folder_is_over(w))
			folder_end(w);
		else
			file_begin(w);
		results_take(w);
		if (w->news) /* many may follow, without anybody to wait for */
			progress_show(w, now_ms());
	}
}

/* ---- waiting ---- */

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Milliseconds until the clock wants something, for poll(2). */
static int patience(const struct window *w, int64_t now)
{
	int64_t next = sooner(w->backend->ops->next_ms(w->backend), progress_next_ms(w->progress));

	if (next == INT64_MAX)
		return -1;
	return next <= now ? 0 : (int)sooner(next - now, 60000);
}

static void wait_for_news(struct window *w)
{
	struct pollfd fds[] = { { .fd = w->backend->epoll_fd, .events = POLLIN },
		{ .fd = interrupt_fd(), .events = POLLIN } };
	int64_t now = now_ms();

	(void)fflush(stdout);
	progress_show(w, now);
	(void)poll(fds, 2, patience(w, now));
	w->backend->ops->turn(w->backend, now_ms());
}

int window_run(struct window *w)
{
	while (w->error == 0 && interrupt_signal() == 0) {
		/* In this order: a place that became free is filled again before we wait for the others. */
		results_take(w);
		held_begin(w);
		held_back_begin(w);
		results_take(w);
		inputs_take(w);
		held_back_begin(w);
		folder_unhold(w);
		if (w->walked && !w->has_pending && w->folder == NULL && w->n == 0)
			break;
		if (w->n_running > 0 && w->error == 0 && !w->news)
			wait_for_news(w);
		w->news = false;
	}
	return w->error;
}

/* ---- life ---- */

struct window *window_new(const struct window_options *o, struct backend *backend, struct walk *walk,
    struct progress *progress, const struct window_ops *ops, void *ctx)
{
	struct window *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->o = o;
	w->backend = backend;
	w->walk = walk;
	w->progress = progress;
	w->ops = ops;
	w->ctx = ctx;
	w->pending.fd = -1;
	return w;
}

void window_free(struct window *w)
{
	if (w == NULL)
		return;
	for (size_t i = 0; i < w->n; i++)
		slot_free(w, slot_at(w, i));
	if (w->has_pending)
		input_done(&w->pending);
	folder_free(w, w->folder);
	free(w);
}
