/* What a conversion is about: between the command (cli/convert.c) and the files here; nobody else's. */
#pragma once

#include "backend.h"
#include "compose.h"
#include "facts.h"
#include "hex.h"
#include "made_file.h"
#include "policy.h"
#include "print.h"
#include "promises.h"
#include "walk.h"

struct original {
	struct task task;
	struct made_file made;
	char sha256[SHA256_HEX + 1];
	/* Where one of them may be what the others say (external.h): */
	bool judged;                  /* and not converted: its tensors are in `composed` */
	bool mixed;                   /* it has tensors, and some elsewhere */
	int fd;                       /* of the file, once more; owned; -1 */
	struct tensor_rows *composed; /* what of it goes into the outputs; owned; NULL: nothing */
};

struct output {
	char *path;
	struct made_file made;
	struct task task;
	struct tensor_rows *composed; /* what was promised of it, where it is not a single worker's; owned */
	struct promises promises;
};

struct convert {
	const char *policy_name, *out;
	char *const *paths;
	enum print_format format;
	bool drop_code, force, composed;
	enum wlk_dtype cast;
	uint64_t shard_bytes; /* 0: in one */
	struct policy *policy;
	struct backend *backend;
	struct walk *walk;
	struct original *sources;
	struct output *outputs;
	size_t n_sources, n_outputs;
	struct compose *compose;
	struct compose_source *compose_sources;
	char *index_path;
	struct made_file index;
};

/* ---- sources.c ---- */

/* A worker's job, up to its end, or until it is put off.  Return: 0; -EINTR when a signal came; -ENOMEM. */
int convert_task(struct convert *c, struct task *t);
const struct fact *convert_fact(const struct task *t, enum wlk_fact id); /* NULL: it has none */
const char *convert_verdict(const struct task *t);

/* All of these return an exit status, and have said why it is not CLI_OK. */
int convert_sources_open(struct convert *c);
int convert_source_convert(struct convert *c, struct original *s);
/* Is it one that may be converted? */
int convert_source_judge(const struct convert *c, struct original *s, const char *why);
/* What a worker wrote, for reading.  Return: 0 or negative errno. */
int convert_source_freeze(struct original *s);
