/* The built-in policies.  `default` has no rules: critical and high reject, medium is for review, low and
 * info are accepted.  The others are rules before that.  Rules here name a code only if the table has it;
 * what later formats bring is covered by class and severity. */
#include <string.h>

#include "policy_impl.h"

/* By its code and not by its class: a pickle that imports names nobody knows is of class code and medium, too. */
static const struct rule ci_rules[] = {
	{ .code = "repo-code",
	    .action = ACTION_ACCEPT,
	    .reason = "a pipeline checks its own repository, code included" },
	{ .code = "npy-object-pickle",
	    .action = ACTION_ACCEPT,
	    .reason = "what the pickle in an array does is judged by findings of its own" },
	{ .code = "format-html",
	    .action = ACTION_ACCEPT,
	    .reason = "a repository's pages are its own, scripts included" },
	{ .code = "svg-script", .action = ACTION_ACCEPT, .reason = "the same of its pictures, which browsers show" },
	{ .code = "svg-external", .action = ACTION_ACCEPT, .reason = "the same of its pictures, which browsers show" },
	{ .code = "format-beside",
	    .action = ACTION_ACCEPT,
	    .reason = "what name and content say alike is no model; that it is nothing else was looked at" },
	{ .code = "onnx-tensor-only",
	    .action = ACTION_ACCEPT,
	    .reason = "a tensor that was read to its end is what a repository's tests are fed with" },
};

/* What the reference crate was seen to load (formats/safetensors, section 4) is for review, so that nobody's
 * working file is refused, and nobody takes it for clean. */
#define TOLERATED(...)                                                                            \
	{                                                                                         \
		__VA_ARGS__, .action = ACTION_REVIEW, .reason = "the reference loader accepts it" \
	}
static const struct rule reference_rules[] = {
	TOLERATED(.code = "safetensors-header-start", .found = "9"), /* TAB, LF, CR and space; not a BOM */
	TOLERATED(.code = "safetensors-header-start", .found = "10"),
	TOLERATED(.code = "safetensors-header-start", .found = "13"),
	TOLERATED(.code = "safetensors-header-start", .found = "32"),
	TOLERATED(.code = "safetensors-header-padding", .found = "9"), /* the same; not NUL or letters */
	TOLERATED(.code = "safetensors-header-padding", .found = "10"),
	TOLERATED(.code = "safetensors-header-padding", .found = "13"),
	TOLERATED(.code = "safetensors-duplicate-tensor"),
	TOLERATED(.code = "safetensors-duplicate-metadata-key"),
	TOLERATED(.code = "safetensors-unknown-field"),
	/* An entry as ["F32",[2],[0,8]], a dtype as {"F32":null}. */
	TOLERATED(.code = "safetensors-field-type", .found = "array", .allowed = "object"),
	TOLERATED(.code = "safetensors-field-type", .found = "object", .allowed = "string"),
	/* Up to 2^64-1; beyond it the finding has no number. */
	TOLERATED(.code = "safetensors-integer-range", .found = "?*"),
	TOLERATED(.code = "safetensors-rank-too-large"),
	TOLERATED(.code = "safetensors-shape-overflow", .found = "behind a zero dimension"),
	TOLERATED(.code = "safetensors-tensor-name-*"),
	TOLERATED(.code = "safetensors-metadata-control"),
	TOLERATED(.code = "safetensors-metadata-unicode"),
	TOLERATED(.code = "polyglot-*", .format = "safetensors"),
};

static const struct rule strict_rules[] = {
	{ .severity = "medium", .action = ACTION_REJECT, .reason = "strict leaves nothing for review" },
};

/* No pickle can be in them; a format joins when its reader comes. */
static const char *const strict_formats[] = { "safetensors", "safetensors-index", "set", "deathtensors", "gguf", "npy",
	"npz", "onnx", "external-weights", "keras-hdf5", "keras-zip", "tflite", "flax-msgpack", NULL };

#define RULES(list) .rules = (list), .n_rules = sizeof(list) / sizeof((list)[0])
static const struct builtin builtins[] = {
	{ .name = "default" },
	{ .name = "ci", RULES(ci_rules) },
	{ .name = "reference", RULES(reference_rules) },
	{ .name = "strict", RULES(strict_rules), .formats = strict_formats },
};

const char *const policy_builtin_names[] = { "default", "ci", "reference", "strict", NULL };

const char policy_builtin_help[] =
    "what it does with                   default   ci        reference  strict\n"
    "NaN; BOOL bytes other than 0 and 1  review    review    review     reject\n"
    "infinities                          review    review    review     reject\n"
    "masks: only zero and one infinity   accept    accept    accept     accept\n"
    "unknown formats                     review    review    review     reject\n"
    "formats that may hold a pickle      findings  findings  findings   reject\n"
    "side files: text, JSON, images      accept    accept    accept     accept\n"
    "a repository's own code             review    accept    review     reject\n"
    "git-lfs pointers                    review    review    review     reject\n"
    "broken structure                    reject    reject    reject     reject\n"
    "what the reference loader tolerates reject    reject    review     reject\n"
    "\n"
    "findings: critical and high reject, medium is for review, low and info are accepted\n"
    "tolerates: names given twice, unknown fields, odd names, integers above 2^53-1, whitespace\n"
    "around the header, other formats inside; see weighlock.policy(5)\n"
    "weighlock formats lists what this version reads; all else is an unknown format to it\n";

const struct builtin *builtin_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (strcmp(builtins[i].name, name) == 0)
			return &builtins[i];
	return NULL;
}
