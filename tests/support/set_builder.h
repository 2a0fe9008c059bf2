/* Set documents for tests: members with facts and rows, in the words of the rules, and the judge's report about them. */
#pragma once

#include <stdio.h>

#include "memory_scan.h"
#include "set_document.h"

#define SET_BUILDER_MEMBERS 512
#define SET_BUILDER_FACTS 8

struct set_builder_member {
	char name[SET_NAME_MAX];
	struct set_member member;
	struct fact facts[SET_BUILDER_FACTS];
	struct memory_report rows; /* only its bytes are of use here */
	uint64_t n_rows;
};

struct set_builder {
	struct set_builder_member *m[SET_BUILDER_MEMBERS];
	size_t n;
};

static inline struct set_builder_member *set_add(
    struct set_builder *b, const char *name, enum set_member_state state, enum wlk_format_id format, uint64_t size)
{
	struct set_builder_member *m = calloc(1, sizeof(*m));

	if (m == NULL || b->n == SET_BUILDER_MEMBERS)
		abort();
	b->m[b->n++] = m;
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->member = (struct set_member){
		.name = bytes_of_text(m->name), .state = state, .format = format, .size = size, .facts = m->facts
	};
	return m;
}

static inline void set_add_row(struct set_builder_member *m, const struct manifest_row *row)
{
	uint8_t buf[4 + MANIFEST_ROW_MAX];
	size_t n = manifest_encode(row, buf + 4);

	store_u32le(buf, (uint32_t)n);
	memory_write(&m->rows, buf, 4 + n);
	m->n_rows++;
}

/* A tensor of so many F32 elements. */
static inline void set_tensor(struct set_builder_member *m, const char *name, uint64_t elements)
{
	set_add_row(m, &(struct manifest_row){ .kind = MANIFEST_TENSOR,
			   .name = bytes_of_text(name),
			   .name_bytes = strlen(name),
			   .dtype = bytes_of_text("F32"),
			   .index = m->n_rows,
			   .end = 4 * elements,
			   .rank = 1,
			   .shape = { elements } });
}

static inline void set_mapping(struct set_builder_member *m, const char *name, const char *file)
{
	set_add_row(m, &(struct manifest_row){ .kind = MANIFEST_MAPPING,
			   .name = bytes_of_text(name),
			   .name_bytes = strlen(name),
			   .file = bytes_of_text(file),
			   .index = m->n_rows });
}

static inline void set_number(struct set_builder_member *m, enum wlk_fact id, uint64_t number)
{
	m->facts[m->member.n_facts++] = (struct fact){ .id = id, .value = value_number(number) };
}

static inline void set_text(struct set_builder_member *m, enum wlk_fact id, const char *text)
{
	m->facts[m->member.n_facts++] = (struct fact){ .id = id, .value = value_text(bytes_of_text(text)) };
}

static inline bool set_builder_write(void *ctx, const void *at, size_t n)
{
	return n == 0 || memory_write(ctx, at, n);
}

/* The document, the caller's to free. */
static inline struct memory_report set_document(struct set_builder *b)
{
	struct memory_report out = { 0 };
	struct set_member members[SET_BUILDER_MEMBERS];

	for (size_t i = 0; i < b->n; i++) {
		members[i] = b->m[i]->member;
		members[i].rows_bytes = b->m[i]->rows.n;
	}
	set_document_write_head(members, b->n, set_builder_write, &out);
	for (size_t i = 0; i < b->n; i++)
		set_builder_write(&out, b->m[i]->rows.at, b->m[i]->rows.n);
	return out;
}

static inline void set_builder_free(struct set_builder *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->m[i]->rows.at);
		free(b->m[i]);
	}
	b->n = 0;
}

static inline struct facts *set_judge_bytes(const void *at, size_t n, uint64_t memory)
{
	struct job job = { .task = JOB_SET, .size = n, .kind = SOURCE_IMMUTABLE, .limits = LIMITS_DEFAULT };

	if (memory > 0)
		job.limits.memory = memory;
	return memory_scan_job(at, n, &job);
}

/* Judge and take down; free with facts_free(). */
static inline struct facts *set_judge(struct set_builder *b)
{
	struct memory_report document = set_document(b);
	struct facts *f = set_judge_bytes(document.at, document.n, 0);

	free(document.at);
	set_builder_free(b);
	return f;
}
