/* See pool.h. */
#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct task_list {
	struct task *first, **end;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t wanted;
	struct task_list todo, finished; /* under lock */
	size_t depth;                    /* the event loop's own count */
	int wake;                        /* eventfd: something is finished */
	struct event *woken;
};

static void list_init(struct task_list *l)
{
	l->first = NULL;
	l->end = &l->first;
}

static void list_append(struct task_list *l, struct task *t)
{
	t->next = NULL;
	*l->end = t;
	l->end = &t->next;
}

static struct task *list_take(struct task_list *l)
{
	struct task *t = l->first;

	if (t == NULL)
		return NULL;
	l->first = t->next;
	if (!l->first)
		l->end = &l->first;
	return t;
}

static void *thread_main(void *ctx)
{
	struct pool *p = ctx;
	const uint64_t one = 1;

	for (;;) {
		struct task *t;

		pthread_mutex_lock(&p->lock);
		while (!(t = list_take(&p->todo)))
			pthread_cond_wait(&p->wanted, &p->lock);
		pthread_mutex_unlock(&p->lock);
		t->run(t);
		pthread_mutex_lock(&p->lock);
		list_append(&p->finished, t);
		pthread_mutex_unlock(&p->lock);
		/* Fails only when the counter is full, and then the loop is woken anyway. */
		if (write(p->wake, &one, sizeof(one)) < 0)
			continue;
	}
	return NULL;
}

static void on_woken(evutil_socket_t fd, short what, void *ctx)
{
	struct pool *p = ctx;
	struct task *t;
	uint64_t n;

	(void)what;
	if (read(fd, &n, sizeof(n)) < 0)
		return;
	for (;;) {
		pthread_mutex_lock(&p->lock);
		t = list_take(&p->finished);
		pthread_mutex_unlock(&p->lock);
		if (t == NULL)
			return;
		p->depth--;
		t->done(t);
	}
}

/* Signals belong to the event loop. */
static int start_threads(struct pool *p, size_t n)
{
	sigset_t all, before;
	int r = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (size_t i = 0; i < n && r == 0; i++) {
		pthread_t thread;

		r = pthread_create(&thread, NULL, thread_main, p);
		if (r == 0)
			pthread_detach(thread);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

int pool_new(struct event_base *base, size_t n_threads, struct pool **ret)
{
	struct pool *p = calloc(1, sizeof(*p));
	int r;

	if (p == NULL)
		return -ENOMEM;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wanted, NULL);
	list_init(&p->todo);
	list_init(&p->finished);
	p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->wake < 0) {
		r = -errno;
		free(p);
		return r;
	}
	p->woken = event_new(base, p->wake, EV_READ | EV_PERSIST, on_woken, p);
	if (!p->woken || event_add(p->woken, NULL) < 0)
		return -ENOMEM; /* at start: the process ends */
	r = start_threads(p, n_threads);
	if (r < 0)
		return r;
	*ret = p;
	return 0;
}

void pool_post(struct pool *p, struct task *t)
{
	p->depth++;
	pthread_mutex_lock(&p->lock);
	list_append(&p->todo, t);
	pthread_mutex_unlock(&p->lock);
	pthread_cond_signal(&p->wanted);
}

size_t pool_depth(const struct pool *p)
{
	return p->depth;
}
