/* See keeper_store.h.  A database that is damaged is moved aside and a new one begun: it is a cache, and whoever wants to
 * know what happened has the file. */
#include "keeper_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "log.h"
#include "store.h"

struct kept {
	struct store *store; /* NULL: it could not be opened again */
	struct store_bounds bounds;
	unsigned days; /* a row is kept that nobody asks for; 0: any number */
	int64_t day;   /* on which that was last looked at */
};

static bool wanted(const struct settings *s)
{
	return s->config.store;
}

static int open_store(struct kept *k)
{
	char error[STORE_ERROR_MAX];
	int r = store_open(STORE_FILE, STORE_KEEP, &k->bounds, &k->store, error);

	if (r < 0)
		log_line("store: %s", error);
	return r;
}

/* Return: 0, with a new and empty one; negative errno. */
static int begin_anew(struct kept *k)
{
	int r;

	store_close(k->store);
	k->store = NULL;
	r = store_move_aside(STORE_FILE);
	if (r < 0) {
		log_errno(-r, "store: the damaged " STORE_FILE " cannot be moved aside");
		return r;
	}
	log_line("store: " STORE_FILE " is now " STORE_FILE STORE_DAMAGED_SUFFIX "; beginning anew");
	return open_store(k);
}

static int open_kept(const struct settings *s, void **ret_state)
{
	struct kept *k = calloc(1, sizeof(*k));
	int r;

	if (k == NULL)
		return -ENOMEM;
	k->bounds = (struct store_bounds){ s->config.store_rows, s->config.store_bytes };
	k->days = s->config.store_days;
	r = open_store(k);
	if (r == -EUCLEAN)
		r = begin_anew(k);
	if (r < 0) {
		free(k);
		return r;
	}
	*ret_state = k;
	return 0;
}

static void close_kept(void *state)
{
	struct kept *k = state;

	store_close(k->store);
	free(k);
}

static enum keeper_status failed(struct kept *k, const char *what, int r)
{
	log_errno(-r, "store: %s", what);
	if (r == -EUCLEAN)
		(void)begin_anew(k);
	return KEEPER_FAILED;
}

/* Once a day. */
static void drop_unused(void *state, int64_t now)
{
	const int64_t today = now / STORE_DAY_S;
	struct kept *k = state;
	int64_t n;

	if (k->days == 0 || today == k->day || !k->store)
		return;
	k->day = today;
	n = store_gc(k->store, &k->bounds, today - (int64_t)k->days + 1);
	if (n > 0)
		log_line("store: %" PRId64 " reports that nobody asked for in %u days are gone", n, k->days);
	else if (n < 0)
		log_errno((int)-n, "store: reports that nobody asked for cannot be dropped");
}

/* ---- requests ---- */

static void get(void *state, struct bytes request, struct keeper_answer *answer)
{
	uint8_t fixed[KEEPER_STORE_FIXED];
	struct kept *k = state;
	struct store_row row;
	int r;

	if (request.n != STORE_KEY_BYTES || !k->store) {
		answer->status = k->store ? KEEPER_REFUSED : KEEPER_FAILED;
		return;
	}
	r = store_get(k->store, request.at, (int64_t)time(NULL), &row);
	if (r == 1) {
		store_u64le(fixed, row.size);
		memcpy(fixed + 8, row.sha256, sizeof(row.sha256));
		keeper_answer_add(answer, fixed, sizeof(fixed));
		keeper_answer_add(answer, row.entry.at, row.entry.n);
		store_release(k->store);
	} else if (r == -EBADMSG) {
		log_line("store: a row was not written by this daemon; it is gone");
		answer->status = KEEPER_REFUSED;
	} else {
		answer->status = r == 0 ? KEEPER_NOT_FOUND : failed(k, "a row cannot be read", r);
	}
}

static void put(void *state, struct bytes request, struct keeper_answer *answer)
{
	struct kept *k = state;
	struct store_row row;
	int r;

	if (request.n <= STORE_KEY_BYTES + KEEPER_STORE_FIXED || !k->store) {
		answer->status = k->store ? KEEPER_REFUSED : KEEPER_FAILED;
		return;
	}
	memcpy(row.key, request.at, STORE_KEY_BYTES);
	row.size = load_u64le(request.at + STORE_KEY_BYTES);
	memcpy(row.sha256, request.at + STORE_KEY_BYTES + 8, sizeof(row.sha256));
	row.entry = bytes_of(
	    request.at + STORE_KEY_BYTES + KEEPER_STORE_FIXED, request.n - STORE_KEY_BYTES - KEEPER_STORE_FIXED);
	r = store_put(k->store, &row, (int64_t)time(NULL));
	if (r == -EFBIG)
		answer->status = KEEPER_REFUSED;
	else if (r < 0)
		answer->status = failed(k, "a report cannot be kept", r);
}

static const struct keeper_handler handlers[] = {
	{ KEEPER_STORE_GET, get },
	{ KEEPER_STORE_PUT, put },
};

/* No settle(): a power cut may take the last rows of a cache, and nobody was promised one. */
const struct keeper_feature keeper_store = {
	.name = "store",
	.wanted = wanted,
	.open = open_kept,
	.handlers = handlers,
	.n_handlers = sizeof(handlers) / sizeof(handlers[0]),
	.tend = drop_unused,
	.close = close_kept,
};
