/* Places for clients, when all are taken: whoever holds many and asks for nothing makes room.  So nobody is shut out by
 * those who only connect, however many users they are. */
#include <sys/socket.h>

#include "client.h"

#define ROOM_USERS 256u /* told apart by their uid's last bits: a search takes as long as there are clients */

static unsigned user_of(const struct client *c)
{
	return (unsigned)c->peer.uid % ROOM_USERS;
}

static bool is_idle(const struct client *c)
{
	return c->phase == CLIENT_OPEN && !c->refused && c->kind->is_idle(c);
}

/* Who has most of those that wait?  Return: false when none waits. */
static bool find_user(const struct clients *all, unsigned *ret)
{
	unsigned n[ROOM_USERS] = { 0 };

	for (const struct client *c = all->first; c; c = c->next)
		n[user_of(c)] += is_idle(c);
	*ret = 0;
	for (unsigned i = 1; i < ROOM_USERS; i++)
		*ret = n[i] > n[*ret] ? i : *ret;
	return n[*ret] > 0;
}

static bool make_room_of(const struct clients *all, unsigned user, const struct client *but)
{
	struct client *first = NULL;

	for (struct client *c = all->first; c; c = c->next) {
		if (c != but && user_of(c) == user && is_idle(c) && !client_has_sent(c))
			first = c;
	}
	if (first == NULL)
		return false;
	client_end(first);
	client_settle(first);
	return true;
}

bool clients_make_room(struct clients *all)
{
	unsigned user;

	return find_user(all, &user) && make_room_of(all, user, NULL);
}

bool clients_make_room_for(const struct client *c)
{
	return make_room_of(c->all, user_of(c), c);
}
