/* The files of a set: which they are, and what the answer says about each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scan_impl.h"

void scan_set_free(struct weighlock_scan *s)
{
	for (size_t i = 0; i < s->set.n; i++)
		free(s->members[i].name);
	free(s->members);
}

/* What the body, a JSON text, and the daemon take.  Whether it is UTF-8 the daemon says. */
static bool is_name(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7F)
			return false;
	}
	return n > 0 && n <= SCAN_NAME_MAX;
}

/* Room for one more: doubled when a power of two is full. */
static int members_grow(struct weighlock_scan *s)
{
	size_t room = s->set.n > 0 ? 2 * s->set.n : 1;
	struct scan_member *bigger;

	if ((s->set.n & (s->set.n - 1)) != 0)
		return 0;
	bigger = reallocarray(s->members, room, sizeof(*bigger));
	if (bigger == NULL)
		return -ENOMEM;
	s->members = bigger;
	return 0;
}

int weighlock_scan_add_member(struct weighlock_scan *s, int fd, const char *name)
{
	struct scan_member m = { .fd = fd };

	if (s->phase != PHASE_NEW || s->pass_fd >= 0 || s->upload_fd >= 0 || s->source != NULL || fd < 0 ||
	    !is_name(name))
		return -EINVAL;
	if (s->set.n == WEIGHLOCK_MEMBERS_MAX)
		return -E2BIG;
	m.name = strdup(name);
	if (m.name == NULL || members_grow(s) < 0) {
		free(m.name);
		return -ENOMEM;
	}
	s->members[s->set.n++] = m;
	return 0;
}

int weighlock_scan_set_members(struct weighlock_scan *s, weighlock_member_fn member, void *ctx)
{
	if (s->phase != PHASE_NEW || member == NULL)
		return -EINVAL;
	s->member = member;
	s->member_ctx = ctx;
	return 0;
}

/* Return: index of the file that is called so and has no verdict yet; .set.n: none. */
static size_t member_by_name(const struct weighlock_scan *s, struct wlc_text name)
{
	size_t i = 0;

	while (i < s->set.n && (s->members[i].done || !wlc_text_shows(name, s->members[i].name)))
		i++;
	return i;
}

bool scan_set_line(struct weighlock_scan *s, const struct wlc_members *m, const char *at, size_t n)
{
	size_t i = member_by_name(s, m->file_name);
	enum weighlock_verdict verdict;

	if (i == s->set.n || !wlc_judge_member(m, s->members[i].size, &verdict))
		return false;
	s->members[i].done = true;
	s->set.n_done++;
	s->set.n_accepted += verdict == WEIGHLOCK_ACCEPT;
	s->line_refused = s->member != NULL && s->member(s->member_ctx, i, verdict, at, n) != 0;
	return !s->line_refused;
}
