/* The keeper's process: see keeper.h.  One thread and one loop: take what has come from every channel, do it, make it
 * last, and only then let the answers go. */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"
#include "control.h"
#include "log.h"
#include "role.h"
#include "sandbox.h"

#define TURN_FRAMES 64 /* of one channel before it is the next one's turn, and before they are made to last */
#define UNSENT_MAX ((size_t)4 << 20) /* bytes of answers a front does not take; it gets no further ones then */
#define LOCK_RETRY_MS 50
#define TEND_MS (3600 * 1000) /* what may be kept for days goes within an hour of its last one */
#define FEATURES_MAX 8

struct port {      /* a channel to a front */
	int fd;    /* -1: free */
	bool over; /* nothing more will come: it closes when its answers are out */
	struct keeper_reader in;
	uint8_t *out;
	size_t sent, out_n, out_room; /* answers: [sent, out_n) are to go */
};

struct keeper {
	int control;
	bool ending;
	int64_t end_by_ms;
	struct port ports[KEEPER_CHANNELS];
	void *states[FEATURES_MAX]; /* NULL: not configured */
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- answers ---- */

/* Room for n more, doubling.  Return: false without memory. */
static bool grow(uint8_t **at, size_t have, size_t *room, size_t n)
{
	size_t wanted = *room > 0 ? *room : 256;
	uint8_t *bigger;

	if (n <= *room - have)
		return true;
	while (wanted - have < n)
		wanted *= 2;
	bigger = realloc(*at, wanted);
	if (bigger == NULL)
		return false;
	*at = bigger;
	*room = wanted;
	return true;
}

void keeper_answer_add(struct keeper_answer *a, const void *at, size_t n)
{
	if (n > KEEPER_PAYLOAD_MAX - a->n || !grow(&a->at, a->n, &a->room, n)) {
		a->status = KEEPER_FAILED;
		a->n = 0;
		return;
	}
	bytes_copy(a->at + a->n, bytes_of(at, n));
	a->n += n;
}

static void do_nothing_known(const struct keeper_frame *request, struct keeper_answer *answer)
{
	if (request->kind == KEEPER_PING)
		keeper_answer_add(answer, request->payload.at, request->payload.n);
	else
		answer->status = KEEPER_NO_KIND;
}

static void handle(struct keeper *k, const struct keeper_frame *request, struct keeper_answer *answer)
{
	for (size_t i = 0; keeper_features[i]; i++) {
		const struct keeper_feature *f = keeper_features[i];

		for (size_t h = 0; k->states[i] && h < f->n_handlers; h++) {
			if ((uint16_t)f->handlers[h].kind != request->kind)
				continue;
			f->handlers[h].handle(k->states[i], request->payload, answer);
			return;
		}
	}
	do_nothing_known(request, answer);
}

/* Return: false without memory. */
static bool put_answer(struct port *p, const struct keeper_frame *request, const struct keeper_answer *a)
{
	const struct keeper_frame f = {
		.kind = request->kind, .status = (uint16_t)a->status, .id = request->id, .payload = { a->at, a->n }
	};

	if (!grow(&p->out, p->out_n, &p->out_room, KEEPER_HEAD + a->n))
		return false;
	keeper_frame_head(&f, p->out + p->out_n);
	bytes_copy(p->out + p->out_n + KEEPER_HEAD, f.payload);
	p->out_n += KEEPER_HEAD + a->n;
	return true;
}

/* ---- channels ---- */

static void port_close(struct port *p)
{
	close(p->fd);
	keeper_reader_done(&p->in);
	free(p->out);
	*p = (struct port){ .fd = -1 };
}

static bool port_is_full(const struct port *p)
{
	return p->out_n - p->sent >= UNSENT_MAX;
}

/* Answer what is whole.  Return: false when there is no way on with this channel. */
static bool port_serve(struct keeper *k, struct port *p)
{
	struct keeper_frame request;
	enum keeper_progress progress = KEEPER_NEED_MORE;
	bool ok = true;

	for (unsigned i = 0; ok && i < TURN_FRAMES && !port_is_full(p); i++) {
		struct keeper_answer answer = { 0 };

		progress = keeper_reader_next(&p->in, &request);
		if (progress != KEEPER_FRAME)
			break;
		handle(k, &request, &answer);
		ok = put_answer(p, &request, &answer);
		free(answer.at);
	}
	return ok && progress != KEEPER_BAD;
}

/* Is there a frame left that a turn ended before? */
static bool port_has_more(const struct port *p)
{
	return p->in.end - p->in.begin >= KEEPER_HEAD &&
	       p->in.end - p->in.begin >= KEEPER_HEAD + (size_t)load_u32le(p->in.at + p->in.begin);
}

static bool port_receive(struct port *p)
{
	size_t room;
	uint8_t *at = keeper_reader_room(&p->in, &room);
	ssize_t n = at ? read(p->fd, at, room) : -1;

	if (at == NULL)
		return false;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	p->over = n == 0;
	keeper_reader_add(&p->in, (size_t)n);
	return true;
}

static bool port_send(struct port *p)
{
	while (p->sent < p->out_n) {
		ssize_t n = send(p->fd, p->out + p->sent, p->out_n - p->sent, MSG_NOSIGNAL);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		p->sent += (size_t)n;
	}
	p->sent = p->out_n = 0;
	return true;
}

static void port_turn(struct keeper *k, struct port *p, bool readable)
{
	if (readable && !port_has_more(p) && !port_receive(p)) {
		port_close(p);
	} else if (!port_serve(k, p)) {
		log_line("keeper: a front speaks nonsense; its channel is closed");
		port_close(p);
	}
}

/* ---- the monitor ---- */

static void add_port(struct keeper *k, int fd)
{
	for (size_t i = 0; i < KEEPER_CHANNELS; i++) {
		if (k->ports[i].fd >= 0)
			continue;
		k->ports[i].fd = fd;
		return;
	}
	log_line("keeper: too many fronts");
	close(fd);
}

/* Take no more, but everything that was sent before. */
static void begin_end(struct keeper *k)
{
	k->ending = true;
	k->end_by_ms = now_ms() + KEEPER_END_MS;
	for (size_t i = 0; i < KEEPER_CHANNELS; i++) {
		if (k->ports[i].fd >= 0)
			shutdown(k->ports[i].fd, SHUT_RD);
	}
}

static void on_control(struct keeper *k)
{
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];
	int r;

	while ((r = channel_recv(k->control, &m, fds)) > 0) {
		if (fds[1] >= 0)
			close(fds[1]);
		if (m.type == CONTROL_KEEPER && fds[0] >= 0 && !k->ending)
			add_port(k, fds[0]);
		else if (fds[0] >= 0)
			close(fds[0]);
		if (m.type == CONTROL_DRAIN && !k->ending)
			begin_end(k);
	}
	if (r == -EAGAIN)
		return;
	close(k->control); /* the monitor is gone, and who starts the next one must not wait for us */
	k->control = -1;
	if (!k->ending)
		begin_end(k);
}

/* ---- the loop ---- */

static bool all_settled(struct keeper *k)
{
	for (size_t i = 0; keeper_features[i]; i++) {
		int r = k->states[i] && keeper_features[i]->settle ? keeper_features[i]->settle(k->states[i]) : 0;

		if (r < 0) {
			log_errno(-r, "keeper: %s cannot be made to last", keeper_features[i]->name);
			return false;
		}
	}
	return true;
}

static void tend_all(struct keeper *k)
{
	const int64_t now = (int64_t)time(NULL);

	for (size_t i = 0; keeper_features[i]; i++) {
		if (k->states[i] && keeper_features[i]->tend)
			keeper_features[i]->tend(k->states[i], now);
	}
}

/* Wait, at most until something is left to do. */
static void wait_for_news(struct keeper *k, struct pollfd p[1 + KEEPER_CHANNELS])
{
	int timeout = k->ending ? 100 : TEND_MS;

	p[0] = (struct pollfd){ .fd = k->control, .events = POLLIN };
	for (size_t i = 0; i < KEEPER_CHANNELS; i++) {
		const struct port *port = &k->ports[i];
		bool takes = !port->over && !port_is_full(port);

		p[1 + i] = (struct pollfd){ .fd = port->fd,
			.events = (short)((takes ? POLLIN : 0) | (port->sent < port->out_n ? POLLOUT : 0)) };
		if (port->fd >= 0 && port_has_more(port) && !port_is_full(port))
			timeout = 0;
	}
	if (poll(p, 1 + KEEPER_CHANNELS, timeout) <= 0) {
		for (size_t i = 0; i < 1 + KEEPER_CHANNELS; i++)
			p[i].revents = 0;
	}
}

/* Answers go out, and channels that are done close. */
static void send_all(struct keeper *k)
{
	for (size_t i = 0; i < KEEPER_CHANNELS; i++) {
		struct port *p = &k->ports[i];

		if (p->fd >= 0 && (!port_send(p) || (p->over && !port_has_more(p) && p->sent == p->out_n)))
			port_close(p);
	}
}

static bool is_over(const struct keeper *k)
{
	for (size_t i = 0; i < KEEPER_CHANNELS; i++) {
		if (k->ports[i].fd >= 0 && now_ms() < k->end_by_ms)
			return false;
	}
	return k->ending;
}

static int loop(struct keeper *k)
{
	while (!is_over(k)) {
		struct pollfd p[1 + KEEPER_CHANNELS];

		wait_for_news(k, p);
		tend_all(k);
		for (size_t i = 0; i < KEEPER_CHANNELS; i++) {
			if (k->ports[i].fd >= 0)
				port_turn(k, &k->ports[i], (p[1 + i].revents & ~POLLOUT) != 0);
		}
		if (!all_settled(k))
			return EXIT_FAILURE;
		send_all(k);
		if (p[0].revents)
			on_control(k);
	}
	return EXIT_SUCCESS;
}

/* ---- set-up ---- */

/* For as long as the process lives. */
static int take_lock(const char *dir)
{
	const struct timespec pause = { .tv_nsec = LOCK_RETRY_MS * 1000000L };
	int fd = open(KEEPER_LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int64_t until = now_ms() + KEEPER_LOCK_MS;

	if (fd < 0) {
		log_errno(errno, "state_dir %s: uid %u cannot write in it", dir, geteuid());
		return -EACCES;
	}
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (now_ms() >= until) {
			log_line("state_dir %s is another daemon's: " KEEPER_LOCK " is locked", dir);
			return -EBUSY;
		}
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int open_features(struct keeper *k, const struct settings *s)
{
	int r = 0;

	for (size_t i = 0; r == 0 && keeper_features[i]; i++) {
		if (i >= FEATURES_MAX)
			return -E2BIG;
		if (keeper_features[i]->wanted(s))
			r = keeper_features[i]->open(s, &k->states[i]);
	}
	return r;
}

/* The keeper trusts what is in its folder no more than it must, but whoever may write there can take the log away. */
static void warn_about_others(int state_dir_fd, const char *dir)
{
	struct stat st;

	if (fstat(state_dir_fd, &st) == 0 && (st.st_mode & S_IWOTH) != 0)
		log_line("state_dir %s: everybody may write in it; nobody but the daemon should", dir);
}

/* What can be known while somebody else may still be keeping here. */
static int prove_all(const struct settings *s)
{
	int r = access(".", R_OK | W_OK | X_OK) < 0 ? -errno : 0;

	if (r < 0)
		log_errno(-r, "state_dir %s: uid %u cannot write in it", s->config.state_dir, geteuid());
	for (size_t i = 0; r == 0 && keeper_features[i]; i++) {
		if (keeper_features[i]->wanted(s) && keeper_features[i]->prove)
			r = keeper_features[i]->prove(s);
	}
	return r;
}

/* Return: 0; -ECANCELED: it never comes. */
static int wait_for_turn(const struct keeper *k)
{
	struct pollfd p = { .fd = k->control, .events = POLLIN };
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];

	(void)role_say(CONTROL_PROVEN, 0, 0);
	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	return channel_recv(k->control, &m, fds) > 0 && m.type == CONTROL_TURN ? 0 : -ECANCELED;
}

static int jail(int state_dir_fd)
{
	int r = sandbox_front_landlock(&state_dir_fd, 1);

	if (r == -ENOSYS || r == -EOPNOTSUPP) {
		log_errno(-r, "no Landlock: the keeper could open files outside state_dir");
		r = 0;
	}
	return r == 0 ? sandbox_keeper_filter() : r; /* last */
}

static int set_up(struct keeper *k, const struct settings *s, int state_dir_fd)
{
	int r = fchdir(state_dir_fd) < 0 ? -errno : prove_all(s);

	if (r == 0)
		r = wait_for_turn(k);
	if (r == 0)
		r = take_lock(s->config.state_dir);
	if (r == 0) {
		warn_about_others(state_dir_fd, s->config.state_dir);
		r = open_features(k, s);
	}
	if (r == 0)
		r = jail(state_dir_fd);
	if (r == 0)
		r = role_say(CONTROL_READY, 0, 0);
	return r;
}

int keeper_main(const struct settings *s, int state_dir_fd, int control)
{
	struct keeper *k = calloc(1, sizeof(*k));
	int status, r;

	if (k == NULL)
		return EXIT_FAILURE;
	k->control = control;
	for (size_t i = 0; i < KEEPER_CHANNELS; i++)
		k->ports[i].fd = -1;
	r = set_up(k, s, state_dir_fd);
	if (r < 0 && r != -ECANCELED)
		log_errno(-r, "the keeper cannot start");
	if (r < 0)
		return EXIT_FAILURE;
	status = loop(k);
	for (size_t i = 0; keeper_features[i]; i++) {
		if (k->states[i] && status == EXIT_SUCCESS)
			keeper_features[i]->close(k->states[i]);
	}
	return status;
}
