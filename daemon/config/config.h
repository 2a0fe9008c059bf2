/* What the operator wants of weighlockd: one YAML file and options of the same names, read into one plain struct.
 * Strict: an unknown or repeated key, a wrong type or a value out of bounds is an error that names file and line,
 * for a misspelt allow list must not start a daemon that allows something else.  Options override the file.
 * The table of keys in config.c is what the file, the options, --help and --check-config are made from. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define CONFIG_FILE_MAX ((size_t)1 << 20) /* bytes of a configuration file */
#define CONFIG_LIST_MAX 1024u             /* entries of a list */
#define CONFIG_ERROR_MAX 512u
#define CONFIG_REPORT_MAX \
	(UINT64_C(256) << 10) /* of store_report_max: a fraction of what a record to the keeper may hold */

/* Files above this are large: at least one slot is never given to them (see queue.h). */
#define CONFIG_LARGE_FILE (UINT64_C(1) << 30)

/* off: none; on: verdicts are recorded; required: and given only if they are. */
enum config_audit { CONFIG_AUDIT_OFF, CONFIG_AUDIT_ON, CONFIG_AUDIT_REQUIRED };

enum config_log_level { CONFIG_LOG_ERROR, CONFIG_LOG_WARNING, CONFIG_LOG_INFO, CONFIG_LOG_DEBUG };

struct config_ids {
	uint32_t *list; /* uids or gids */
	size_t n;
};

/* One entry of `policies`: requests may say policy=NAME.  The four built-in names are always there too. */
struct config_policy {
	char *name; /* [A-Za-z0-9._-]{1,64} */
	char *file; /* path as written */
};

#define CONFIG_RATE_OFF UINT64_MAX /* any rate */

/* One entry of `tenants`: limits of its own.  0: as everybody. */
struct config_tenant {
	char *name; /* as requests name it, or "uid:N" */
	unsigned workers, queue_max;
	uint64_t spool_bytes;
	uint64_t files_per_minute, bytes_per_minute; /* CONFIG_RATE_OFF: any */
};

/* Sizes in bytes, times in seconds.  Owns everything; config_done() frees. */
struct config {
	char *config;                    /* --config: where the file is, for SIGHUP; NULL: no file */
	char *socket;                    /* path to listen on; ignored when the service manager passes a socket */
	char *clamd_socket;              /* the same for clients of clamd (clamd.h); "": none */
	mode_t socket_mode;              /* of both */
	uint32_t socket_gid;             /* group of both; UINT32_MAX: as created */
	struct config_ids allow_uids;    /* peers, besides root and the daemon's own uid */
	struct config_ids allow_gids;    /* peers whose primary or supplementary group is one of these */
	struct config_ids reviewer_uids; /* peers who may make and revoke exceptions; nobody else, root neither */
	struct config_ids claim_uids;    /* peers who may claim a digest; nobody else may */
	struct config_ids tenant_uids;   /* peers whose requests may name a tenant; root and own uid always may */

	char *spool_dir;                 /* folder for O_TMPFILE spools */
	uint64_t spool_bytes;            /* all spooled bodies together, bounded by free space as well */
	uint64_t spool_bytes_per_tenant; /* of those, a single tenant's; 0: see budget.h */
	uint64_t memfd_max;              /* a body up to this size is spooled to memory */
	uint64_t memfd_bytes;            /* all of those together; beyond it they go to spool_dir */
	uint64_t max_body;               /* larger bodies are refused with 413; policies may lower it */

	unsigned max_connections;
	unsigned max_connections_per_uid;
	unsigned queue_max; /* requests admitted and not answered yet */
	unsigned queue_max_per_tenant;
	unsigned workers;            /* scans at a time: slots; never 0 after config_from_args() */
	unsigned workers_per_tenant; /* of those, a single tenant's; 0: all but one of three or more, else all */
	uint64_t files_per_minute_per_tenant, bytes_per_minute_per_tenant; /* CONFIG_RATE_OFF: any (rate.h) */
	uint64_t large_file; /* files above it never take the last free slot */

	unsigned head_seconds;           /* first byte of a head to its end */
	unsigned idle_seconds;           /* between requests of one connection */
	uint64_t body_min_bytes_per_10s; /* a body slower than this over 10 s is a 408; 0: any speed */
	unsigned reply_seconds;          /* a client that does not take its answer */
	unsigned drain_seconds;          /* SIGTERM: time for running scans */
	unsigned progress_seconds;       /* a stream says something at least this often */

	char *state_dir;           /* folder of the keeper (keeper.h) */
	bool store;                /* keep reports there: the verdict store */
	unsigned store_rows;       /* reports */
	uint64_t store_bytes;      /* all of them together */
	uint64_t store_report_max; /* a longer one is not kept */
	unsigned store_days;       /* one that was not asked for on so many days is not kept; 0: any number */
	enum config_audit audit;   /* record verdicts in state_dir */
	bool exceptions;           /* people's are asked, and kept in state_dir */
	uint64_t audit_bytes;      /* of one file of the audit log, about */
	unsigned
	    audit_texts_days; /* what it says of people is kept beside it, erasable (audit_texts.h); 0: not at all */
	char *pseudonym_key;  /* of names and tenants in log and audit log: a file, as signing_key; "": as they are */
	char *signing_key;    /* of verdicts: a PEM file, or a credential's name; "": none are signed */

	struct config_tenant *tenants;
	size_t n_tenants;
	struct config_policy *policies;
	size_t n_policies;
	char *default_policy; /* a file (config_policy_is_file()), else one of `policies` or built in */
	char *shadow_policy;  /* the same; "": none */
	enum config_log_level log_level;
	char *journal; /* off, auto, or the path of a socket (log.h) */
	char *worker;  /* path of weighlock-worker; never NULL after config_from_args(), not opened yet */

	unsigned char from_option[64]; /* private: which keys an option has set */
};

enum config_what {
	CONFIG_RUN,     /* start */
	CONFIG_CHECK,   /* --check-config: the configuration is good; load the policies, say so and end */
	CONFIG_VERSION, /* --version: print it and end */
	CONFIG_HELP,    /* --help: config_help() and end */
};

/**
 * config_from_args() - defaults, then the file of --config, then the options
 * @argv: as main() got it; not kept (texts are copied)
 * @ret: to be freed with config_done(), also after failure (where it is empty)
 * @ret_what: what to do
 * @error: CONFIG_ERROR_MAX bytes; on failure one line without newline: "FILE:LINE: ..." for the file,
 *         "--option: ..." for an option
 *
 * Opens and reads the file, nothing else; does not look whether the policies, spool or worker exist.
 * Uses getopt_long() and so its globals: one call at a time.  May be called again with the same arguments to
 * reload (SIGHUP): parse fully into a second struct, then swap.
 * Return: 0; -EINVAL (see error); -ENOMEM and errnos of open(2) and read(2), with error filled too.
 */
int config_from_args(
    int argc, char *const argv[], struct config *ret, enum config_what *ret_what, char error[CONFIG_ERROR_MAX]);

/* The same from YAML text over defaults, for tests and fuzzing.  @origin: file name for messages. */
int config_parse(const uint8_t *at, size_t n, const char *origin, struct config *ret, char error[CONFIG_ERROR_MAX]);

void config_done(struct config *c);

/* The text of --help: usage and every option with its default. */
void config_help(FILE *to);

/* The file of a named policy; NULL if `policies` has no such name (it may still be built in). */
const char *config_policy_file(const struct config *c, const char *name);

/* Is a value of default_policy a file (holds a '/' or ends in .yaml or .yml) rather than a name? */
bool config_policy_is_file(const char *policy);

bool config_ids_have(const struct config_ids *ids, uint32_t id);

/* ---- from the monitor to those it starts ---- */

/* Texts with their NULs, one behind the other. */
struct packed {
	const char *at;
	size_t n;
};

/* The next one; NULL: there is none. */
const char *packed_text(struct packed *p);

/* All of it, but for `config` and what options said: only the monitor reads files and options. */
void config_pack(const struct config *c, FILE *to);
/* @ret: as from config_from_args().  Return: 0; -EINVAL; -ENOMEM; after a failure it is empty. */
int config_unpack(struct packed *p, struct config *ret);
