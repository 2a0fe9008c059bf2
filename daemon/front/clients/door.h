/* A listening socket, and how clients come in by it: a few at a time, as long as there are places; and when descriptors run
 * out, one of those who wait is let go instead of waiting in vain. */
#pragma once

#include "client.h"

#define DOORS_MAX 2

struct doors;

/* @spare_of: any descriptor, to be copied.  Return: 0; -ENOMEM and the errnos of dup(2). */
int doors_new(struct clients *all, int spare_of, struct doors **ret);
/* @fd: listening.  Who comes in is of @kind, with @service.  Return: 0; -ENOMEM. */
int doors_add(struct doors *d, int fd, const struct client_kind *kind, void *service);
/* There may be a place. */
void doors_look(struct doors *d);
/* Nobody comes in any more. */
void doors_shut(struct doors *d);
