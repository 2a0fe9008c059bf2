/* The front's side of people's exceptions: the list that its policies ask, which is the keeper's; it comes soon after the channel, and
 * until then nothing is excepted. */
#pragma once

#include "env.h"
#include "exceptions.h"
#include "keeper_link.h"

struct excepting {
	struct env *env;
	struct keeper_link *keeper;
	struct exceptions *list; /* NULL: exceptions are off */
};

/* All policies ask the list from now on, which is empty, and fetched.  Return: 0 or -ENOMEM. */
int excepting_init(struct excepting *x, struct env *env, struct keeper_link *keeper);
/* It may be another now. */
void excepting_fetch(struct excepting *x);
/* The keeper's answer to KEEPER_EXCEPTIONS: policies ask that list now, if it is one. */
void excepting_take(struct excepting *x, enum keeper_status status, struct bytes answer);
