/* A process that the monitor executes for a role (role.h), and the three ways between them: orders go by a socket that takes
 * nothing in return, its few words come by a pipe, and so do its log and its entries for the journal.  Nothing here waits for
 * a child, whatever it does or does not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "control.h"
#include "journal.h"
#include "log.h"

#define CHILD_WORDS_MAX 16 /* that are heard at a time: a child that says more is not to fill our day */

struct channel_message;

struct child {
	pid_t pid; /* 0: none */
	int control, words, log, entries;
	char line[2 * LOG_LINE_MAX]; /* of its log, until it is whole */
	size_t n;
};

#define CHILD_NONE                                                   \
	{                                                            \
		.control = -1, .words = -1, .log = -1, .entries = -1 \
	}

struct child_start {
	int self; /* child_program() */
	const char *role;
	int settings;    /* settings_pack() */
	int http, clamd; /* -1: none */
	bool journal;    /* it may write entries */
};

/* This program as it was when it was started, whatever is at its path later.  Return: a descriptor that can be executed
 * and nothing else; negative errno. */
int child_program(void);

/**
 * child_start() - fork and execute
 * @c: none is running there
 * Return: 0; negative errno, and nothing is left.  One that cannot be executed ends, and the log says why.
 */
int child_start(struct child *c, const struct child_start *s);

/* An order, perhaps with a descriptor.  Return: whether it was taken. */
bool child_tell(const struct child *c, const struct channel_message *m, const int *fd);
/* What it has said.  Return: how many. */
size_t child_hear(struct child *c, struct control_word words[CHILD_WORDS_MAX]);
/* Some of what it logs, to where we log.  Return: whether there was anything. */
bool child_relay(struct child *c, const struct journal *journal);

void child_kill(const struct child *c);
/* It is gone, or given up: its last words, and an end of everything. */
void child_forget(struct child *c, const struct journal *journal);
