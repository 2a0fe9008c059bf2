/* Between the files that read a checkpoint's archive; nobody else's. */
#pragma once

#include "format.h"
#include "judge.h"
#include "pytorch_members.h"
#include "pytorch_objects.h"
#include "zip.h"

#define TORCH_ALIGNMENT UINT64_C(64) /* unless .storage_alignment says otherwise */

struct torch_zip {
	struct layout *l;
	struct zip zip;
	struct bytes root;
	const struct zip_entry *data_pkl, *version;
	struct pickle_judge *judge; /* of data.pkl; NULL: there is none */
	struct torch_objects *objects;
	uint64_t alignment;
	bool format_version; /* loaders may compute the offsets of storages */
	bool big_endian;
	const char *folder;        /* of the storages of `objects`, below the root */
	bool script;               /* it carries code */
	bool script_told;          /* and that was said */
	bool constants;            /* TorchScript's are at work: a pickle and storages of their own */
	bool unsound;              /* see torch_finding_contradicts() */
	uint8_t head[PROBE_BYTES]; /* of the member that is looked at */
};

/* A finding about a member of the archive, or about the archive (NULL). */
void torch_zip_report(
    struct torch_zip *t, enum wlk_finding code, const struct zip_entry *e, struct value found, struct value allowed);
void torch_zip_at(struct torch_zip *t, enum wlk_finding code, const struct zip_entry *e);

/* The name of an entry below the root; false: it is not below it. */
bool torch_zip_name(const struct torch_zip *t, const struct zip_entry *e, struct bytes *ret);

/* The first bytes of a member, into t->head: all of it, or PROBE_BYTES.  False: source or memory failed. */
bool torch_zip_head(struct torch_zip *t, const struct zip_entry *e, struct bytes *ret);

/* A member that is a pickle, judged.  Return: as pickle_judge_stream(). */
enum wlk_status torch_zip_judge_pickle(struct torch_zip *t, const struct zip_entry *e, enum pickle_profile profile);

/* Does it begin a pickle that acts?  Then @code, and what it would do is judged: nobody loads it from there by himself,
 * but programs do keep pickles in byte tensors, and other programs are told to look where no loader does. */
enum wlk_status torch_zip_sniff(struct torch_zip *t, const struct zip_entry *e, enum wlk_finding code);

/* -- pytorch_zip_records.c: version, byte order and their like -- */

enum wlk_status torch_zip_records(struct torch_zip *t);

/* -- pytorch_zip_storages.c -- */

/* Every storage to its member, every data/N to its storage. */
enum wlk_status torch_zip_storages(struct torch_zip *t);
/* Likewise of TorchScript's constants, while they are at work. */
enum wlk_status torch_zip_constants_storages(struct torch_zip *t);

/* -- pytorch_mapped.c -- */

/* The bytes that a loader which maps the file takes for a compressed storage; false: it is none. */
bool torch_zip_mapped(
    const struct torch_zip *t, const struct torch_storage *s, const struct zip_entry *e, struct stream *ret);
/* Are they finite, as the storage's elements? */
enum wlk_status torch_zip_examine_mapped(struct torch_zip *t, const struct torch_storage *s, const struct zip_entry *e);

/* -- pytorch_shards.c -- */

/* A file of several checkpoints, of which each says where it begins, up to the first byte; *ret_n: how many.  False: source or
 * memory failed. */
bool torch_shards_count(struct layout *l, size_t *ret_n);
/* Each is judged as a file of its own. */
enum wlk_status torch_shards_layout(struct layout *l);

/* -- pytorch_script.c -- */

/* A member of TorchScript, a package or an exported program. */
enum wlk_status torch_zip_code(struct torch_zip *t, const struct zip_entry *e, enum torch_member kind);
