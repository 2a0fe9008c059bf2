/* What the two kinds of call have in common: about one file (client.c), and about a folder's files at once (client_set.c). */
#pragma once

#include <stdio.h>
#include <sys/un.h>

#include "client.h"

#define CLIENT_NAME_MAX 1024u /* bytes of a file's name, as the daemon takes it */
#define CLIENT_WAIT_MS 600000 /* for the queue, beyond the time the scan itself may take */
#define CLIENT_FDS_MAX 253u   /* SCM_MAX_FD: descriptors in a message */

#define CLIENT_CONNECT_WAIT_MS 20 /* until a full backlog is tried again */
#define CLIENT_CONNECT_TRIES 500u

struct http_reply;

/* What an epoll event is about: the first member of both. */
enum client_watch { WATCH_CALL, WATCH_SET };

struct call;
struct set_call;

struct client {
	struct backend base;
	struct sockaddr_un address;
	const char *policy_name;
	const struct policy *unjudged;
	struct call *calls;
	struct set_call *sets;
};

/* ---- client.c ---- */

/* Return: descriptor or negative errno; -EAGAIN: the daemon's backlog is full. */
int client_connect(const struct client *c);
/* @passed: at most CLIENT_FDS_MAX, which go with the first byte.  Return: bytes sent, or negative errno. */
int client_send(int fd, const void *at, size_t n, const int *passed, size_t n_passed);
/* May a daemon that gives this answer be asked again?  @n_busy: how often it was busy before; is counted.
 * Return: milliseconds to wait; 0: no. */
int64_t client_busy_ms(const struct http_reply *reply, unsigned *n_busy);
/* Does it say that it may be otherwise later? */
bool client_is_busy(const struct http_reply *reply);
void client_percent_encode(const char *text, FILE *to);
/* No verdict from the daemon. */
void client_fail(struct client *c, struct task *t, enum wlk_cause cause, const char *detail, const char *retry);
/* Has it what a verdict about a file must have? */
bool client_is_verdict(const json_t *json);
/* accept is the one answer that lets a file pass: it must be about a whole scan of a file as large as ours. */
bool client_accept_is_ours(const json_t *json, const struct input *in);
/* The name is the caller's: as a verdict made here would show it. */
void client_rename(json_t *verdict, const char *name);

/* ---- client_set.c ---- */

void client_start_set(struct backend *b, struct task *const *tasks, size_t n, struct task *set);
void client_set_read(struct client *c, struct set_call *call);
void client_sets_keep(struct client *c, int64_t now);
int64_t client_sets_next_ms(const struct client *c);
void client_sets_close(struct client *c);
