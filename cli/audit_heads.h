/* Heads of an audit log that somebody kept elsewhere, as files. */
#pragma once

#include <stdbool.h>

#include "chain.h"
#include "dsse.h"

struct audit_heads {
	struct audit_wanted *at; /* malloc()ed */
	size_t n, room;
};

/* Return: false without memory, which is said. */
bool audit_heads_add(struct audit_heads *h, const struct audit_wanted *w);
/**
 * audit_heads_read() - the heads in a file, one a line
 * As `weighlock audit head` writes them, signed or not, as audit.head has it, or 64 digits and no more.
 * @k: then each must be signed by it; NULL: none may be signed, for who signed it would not be known
 * Return: CLI_OK; what else is wrong is said.
 */
int audit_heads_read(struct audit_heads *h, const char *name, const struct dsse_key *k);
void audit_heads_done(struct audit_heads *h);

/* `weighlock audit head`, argv[0] being "head".  Return: the exit status. */
int audit_head_command(int argc, char **argv);
