/* What an audit log says of people, which is beside it (evidence/audit_texts.h): looked at, erased, looked for. */
#pragma once

#include <stddef.h>

#include "chain.h"

/* A text that a line of the log says there was. */
struct audit_promise {
	uint64_t seq;
	uint8_t hash[32];
	bool seen;
};

/* In the order of the lines. */
struct audit_promises {
	struct audit_promise *at; /* malloc()ed */
	size_t n, room;
};

/* Is it, by its name, a file of texts? */
bool audit_people_is_name(const char *path);
/* A line that was checked.  Return: false without memory, which is said. */
bool audit_promises_add(struct audit_promises *p, const struct audit_link *line);
/* Every text in this file must be the one that its line of the log says.  Return: CLI_OK; what is wrong is said. */
int audit_promises_check(struct audit_promises *p, const struct audit_check *c, const char *file);
/* How many are there.  @looked: files of texts were given. */
void audit_promises_say(const struct audit_promises *p, bool looked);

/* `weighlock audit erase` and `weighlock audit pseudonym`, argv[0] being that word.  Return: the exit status. */
int audit_erase_command(int argc, char **argv);
int audit_pseudonym_command(int argc, char **argv);
