/* See room.h. */
#include "room.h"

#include <stddef.h>
#include <sys/socket.h>

#include "clamd.h"
#include "conn_impl.h"

#define ROOM_USERS 256u /* told apart by their uid's last bits: a search takes as long as there are connections */

static unsigned user_of(uid_t uid)
{
	return (unsigned)uid % ROOM_USERS;
}

static bool has_sent(int fd)
{
	char byte;

	return recv(fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) > 0;
}

static bool is_waiting(const struct conn *c)
{
	return c->state == CONN_HEAD && !c->refused;
}

/* Who has most of those that wait?  Return: false when none waits. */
static bool find_user(const struct front *f, unsigned *ret)
{
	unsigned n[ROOM_USERS] = { 0 };

	for (const struct conn *c = f->conns; c; c = c->next)
		n[user_of(c->uid)] += is_waiting(c);
	for (const struct clamd *c = f->clamds; c; c = clamd_next(c))
		n[user_of(clamd_uid(c))] += clamd_is_idle(c);
	*ret = 0;
	for (unsigned i = 1; i < ROOM_USERS; i++)
		*ret = n[i] > n[*ret] ? i : *ret;
	return n[*ret] > 0;
}

/* The lists begin with who came last. */
bool room_make(struct front *f)
{
	struct clamd *first_clamd = NULL;
	struct conn *first = NULL;
	unsigned user;

	if (!find_user(f, &user))
		return false;
	for (struct conn *c = f->conns; c; c = c->next) {
		if (user_of(c->uid) == user && is_waiting(c) && !has_sent(c->fd))
			first = c;
	}
	for (struct clamd *c = f->clamds; c && !first; c = clamd_next(c)) {
		if (user_of(clamd_uid(c)) == user && clamd_is_idle(c) && !has_sent(clamd_fd(c)))
			first_clamd = c;
	}
	if (first)
		conn_free(first);
	else if (first_clamd)
		clamd_drop(first_clamd);
	return first || first_clamd;
}
