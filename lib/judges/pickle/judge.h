/* What pickles may do: names, uses, arguments.  Stands between the machine and a format's reader: every event is judged
 * by tables (names.tsv: allowed with permitted uses and an argument rule; denied with severity; all else unknown) and by
 * rules that no table can lift, becomes findings, and goes on to the reader.  Follows formats/pickle, section 4. */
#pragma once

#include "pickle.h"
#include "report.h"
#include "stream.h"

/* Where the pickle stands: which names and acts are at home there. */
enum pickle_profile {
	PICKLE_PLAIN, /* a file of its own, or one in an array */
	PICKLE_TORCH, /* data.pkl and the streams of a legacy file: persistent ids are storages, the reader judges them */
	PICKLE_JOBLIB, /* NumpyArrayWrapper with raw bytes behind it */
};

/* Names the operator allows beyond the tables (policy packs), as the job carries them: lib/core/pickle_names.h. */
struct pickle_names;

/* The numbers of an array are places in something else: each is from `least` on and below `below`, and none (rising) is less
 * than the one before it. */
struct pickle_bounds {
	uint64_t offset; /* of the opcode that says so */
	int64_t least;
	uint64_t below;
	bool rising;
};
typedef void (*pickle_bound_fn)(void *ctx, struct pickle *p, pickle_value array, const struct pickle_bounds *b);

struct pickle_judge_options {
	enum pickle_profile profile;
	const struct pickle_names *extra; /* may be NULL */
	uint64_t origin;     /* added to offsets: of a stored run, its place in the file; 0 for decoded ones */
	struct bytes member; /* path for findings */
	struct report *report;
	struct siphash_key seed;
	uint64_t size; /* as pickle_options.size */
	uint64_t opcodes_max;
	bool torchscript;    /* TorchScript's own names are not imports: its reader makes them itself */
	uint32_t items_kept; /* as pickle_options.items_kept */
	const char *only;    /* "with allow_pickle=True": what its loader wants to be told first; NULL: nothing */
	bool memo_goes_on;   /* as pickle_options.memo_goes_on */
	/* The reader behind it, called after the judge for every event; may be NULL. */
	pickle_event_fn event;
	/* Where such numbers are examined, or where it is right that nobody does; NULL: nobody does, and who needs them is held. */
	pickle_bound_fn bound;
	bool (*wanted)(struct bytes key); /* as pickle_options.wanted: its events are not judged; may be NULL */
	void *ctx;
};

struct pickle_judge;

/* Machine and judge together, in the arena; NULL when it is spent. */
struct pickle_judge *pickle_judge_new(struct arena *a, const struct pickle_judge_options *o);
struct pickle *pickle_judge_machine(struct pickle_judge *j);
/* Gives back what it holds before the arena ends: an archive may have a pickle for each of a thousand modules.  Nothing may
 * be asked of it any more; NULL is fine. */
void pickle_judge_release(struct pickle_judge *j);

/* A pickle begins at @offset of the run: pickle_begin(), and the judge forgets the objects of the last one. */
void pickle_judge_begin(struct pickle_judge *j, uint64_t offset);
/* From within an event: a pickle of its own follows this opcode; it is judged like any other, its events go to the same
 * reader, and the walk goes on behind its STOP.  For pickle_judge_stream() alone, and not from within such a pickle. */
void pickle_judge_nest(struct pickle_judge *j);
/* Is this the pickle inside another one? */
bool pickle_judge_is_nested(const struct pickle_judge *j);
/* What another machine imports: is it what was imported here too?  Says no too often rather than too rarely. */
enum pickle_repeat { PICKLE_REPEAT_SEEN, PICKLE_REPEAT_NEW, PICKLE_REPEAT_DENIED };
enum pickle_repeat pickle_judge_repeats(const struct pickle_judge *j, const struct pickle *p, pickle_value global);
/* Does a stream behind the first, that acts, fetch what it acts with from the memo?  For whoever keeps the memo it may be
 * something else. */
bool pickle_judge_fetches(const struct pickle_judge *j);
/* The class of an object, as far as anybody can tell; else PICKLE_NO_VALUE. */
pickle_value pickle_judge_class_of(struct pickle_judge *j, pickle_value object);
/* Offset in the run up to which bytes were seen, by pickle_judge_stream(). */
uint64_t pickle_judge_seen(const struct pickle_judge *j);
/* Offset in the run behind the last STOP; 0 before the first. */
uint64_t pickle_judge_position(const struct pickle_judge *j);

/**
 * pickle_judge_end() - the stream ended (or the bytes did): findings for how it ended
 * @bytes_left: behind STOP, that nobody claims (0: none; the caller parses further streams first).
 * Return: false when the walk ended before STOP or by a budget: what follows is not understood.
 */
bool pickle_judge_end(struct pickle_judge *j, uint64_t bytes_left);

/* What the judge saw over all streams. */
struct pickle_summary {
	uint64_t streams, opcodes, imports, calls;
	bool data_only;             /* neither import, call, persistent id nor extension */
	bool weights_only_loadable; /* torch's restricted unpickler would take it: names, opcodes and uses */
};
struct pickle_summary pickle_judge_summary(const struct pickle_judge *j);

/**
 * pickle_judge_stream() - all of it for a run of pickles, from preview to findings
 * @from: where the first pickle begins in the run (behind an .npy header: object arrays).
 * Streams one after the other to the end of the run: whatever follows the last STOP and does not parse is trailing.
 * Return: WLK_DONE when every byte belongs to a pickle, or is one of the zeros behind the last (pickle_judge_position()
 * says where they begin; there is a finding about them); WLK_BROKEN (findings say why); WLK_INCOMPLETE when source or
 * memory failed (the cause is recorded).
 */
enum wlk_status pickle_judge_stream(struct pickle_judge *j, const struct stream *s, uint64_t from, struct arena *a);
