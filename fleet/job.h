/* A job: one file that somebody wants judged, told where it is and what it must be.  The queue carries no bytes of it.
 * docs/job.schema.json is the same for others. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_TEXT_MAX 1024u /* bytes of a job's JSON */
#define JOB_ID_MAX 128u
#define JOB_REF_MAX 768u
#define JOB_NAME_MAX 512u
#define JOB_WORD_MAX 64u /* of a tenant or policy, as libweighlock-client takes them */

enum job_lane { LANE_SMALL, LANE_LARGE, LANE_RESCAN };
#define N_JOB_LANES 3

#define JOB_LARGE_BYTES ((uint64_t)1 << 30) /* from here on a file that names no lane is large */

struct fleet_job {
	char id[JOB_ID_MAX + 1];
	char ref[JOB_REF_MAX + 1];
	char sha256[64 + 1]; /* expected: lower-case digits */
	uint64_t size;       /* expected: bytes */
	char name[JOB_NAME_MAX + 1];
	char tenant[JOB_WORD_MAX + 1], policy[JOB_WORD_MAX + 1]; /* "": the daemon's own */
	enum job_lane lane;
	int64_t deadline; /* seconds of the Unix clock after which nobody waits; 0: none */
};

/**
 * job_read() - a job from its JSON: strictly, each member once, none that is unknown
 * @at, @n: not NUL-terminated
 * Return: NULL, or what is wrong with it.
 *
 * Without "id" it is named by the SHA-256 of what it asks, so that the same question is the same job; without "lane" its size
 * decides; without "name" the last part of its reference is it.
 */
const char *job_read(const char *at, size_t n, struct fleet_job *ret);

/**
 * job_write() - its JSON, the same for the same job
 * @ret: at least JOB_TEXT_MAX + 1 bytes
 * Return: NULL, or what is wrong: it is too long, or memory ran out.
 */
const char *job_write(const struct fleet_job *job, char *ret);

const char *job_lane_name(enum job_lane lane);
/* Return: false: there is none of that name. */
bool job_lane_of(const char *name, enum job_lane *ret);
