/* The last steps of a verdict on its way to the client, where it is not simply written: one from the store is recorded
 * first (audit.h), and with attest=1 the answer is an envelope that the keeper has signed (evidence/dsse.h). */
#pragma once

#include "audit.h"
#include "reply.h"
#include "settings.h"

struct conn;

/* What a connection waits for meanwhile.  Zeroed is nothing. */
struct release {
	struct audit_call *recording;
	struct keeper_call *signing;
	struct verdict verdict; /* while recording */
	char *statement;        /* while signing */
	struct reply reply;
};

/* Is attest=1 something this daemon does? */
bool release_can_sign(const struct settings *s);
/**
 * release_signed() - answer with an envelope, and with the verdict itself when it has no digest
 * @r: status and verdict of the reply
 * @verdict: recorded where it has to be; borrowed for the call
 */
void release_signed(struct conn *c, const struct reply *r, const json_t *verdict);
/* Answer with a verdict from the store.  @v: taken. */
void release_kept(struct conn *c, const struct reply *r, struct verdict *v);
/* The request has ended. */
void release_drop(struct release *r);
