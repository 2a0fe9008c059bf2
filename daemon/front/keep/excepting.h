/* The front's side of people's exceptions: the list that its policies ask, which is the keeper's.  It is asked for anew all the
 * time: whoever wrote to the file, another front, the command, a client that did not wait for his answer, and whatever was lost on
 * the way, what it says is in force EXCEPTING_LOOK_S later.  Before the first answer nothing is excepted. */
#pragma once

#include "env.h"
#include "exceptions.h"
#include "keeper_link.h"

#define EXCEPTING_LOOK_S 5

struct excepting {
	struct env *env;
	struct keeper_link *keeper;
	struct event *clock;
	struct exceptions *list; /* NULL: exceptions are off */
};

/* All policies ask the list from now on, which is empty, and fetched.  Return: 0 or -ENOMEM. */
int excepting_init(struct excepting *x, struct env *env, struct keeper_link *keeper);
/* It may be another now: whoever asks the keeper something behind this finds what the answer said in force. */
void excepting_fetch(struct excepting *x);
