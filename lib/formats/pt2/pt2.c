/* The archive around an exported program: see pt2.h.  Names below the root are those of torch/csrc/export/pt2_archive_constants.h. */
#include "pt2.h"

#include "member.h"
#include "nested.h"
#include "pt2_impl.h"

#define OLD_PROGRAM "serialized_exported_program.json"
#define RECORD_MAX 64u /* bytes of what a record says in a word */

#define MODELS "models/"
#define WEIGHTS "data/weights/"
#define CONSTANTS "data/constants/"
#define SAMPLES "data/sample_inputs/"
#define COMPILED "data/aotinductor/"

static struct bytes behind(struct bytes name, size_t n)
{
	return bytes_of(name.at + n, name.n - n);
}

/* The folder of all, without its slash; empty: the name lies in none. */
static struct bytes root_of(struct bytes name)
{
	const uint8_t *slash = name.n > 0 ? memchr(name.at, '/', name.n) : NULL;

	return bytes_of(name.at, slash != NULL ? (size_t)(slash - name.at) : 0);
}

/* Its name below the root that the loader goes by, that of the first; false: it lies elsewhere. */
static bool name_below(const struct zip_archive *a, const struct zip_entry *e, struct bytes *ret)
{
	struct bytes root = root_of(a->zip.entries[0].name);

	*ret = bytes_of(NULL, 0);
	if (root.n == 0 || !bytes_equal(root_of(e->name), root))
		return false;
	*ret = behind(e->name, root.n + 1);
	return true;
}

static const struct zip_entry *find(const struct zip_archive *a, const char *folder, struct bytes name, const char *end)
{
	struct bytes root = root_of(a->zip.entries[0].name);
	size_t n = root.n + 1, folder_n = strlen(folder), end_n = strlen(end);
	uint8_t path[PT2_NAME_MAX * 3];

	if (root.n == 0 || root.n > PT2_NAME_MAX || name.n > PT2_NAME_MAX)
		return NULL;
	bytes_copy(path, bytes_of(root.at, n));
	memcpy(path + n, folder, folder_n);
	bytes_copy(path + n + folder_n, name);
	memcpy(path + n + folder_n + name.n, end, end_n);
	return zip_find(&a->zip, bytes_of(path, n + folder_n + name.n + end_n));
}

/* -- what the archive says of itself -- */

static bool is_release(struct bytes text)
{
	return (text.n == 1 && text.at[0] >= '1' && text.at[0] <= '9') || bytes_equal(text, bytes_of_text("10"));
}

/* A record of one word.  @word: NULL: a number of the writer, 1 to 10. */
static enum wlk_status read_record(struct layout *l, const struct zip_entry *e, const char *word)
{
	struct bytes text;

	if (!e->readable)
		return WLK_DONE;
	if (!stream_head(&e->member->stream, l->arena, RECORD_MAX, &text))
		return layout_stop(l);
	if (text.n > 0 && text.at[text.n - 1] == '\n')
		text.n--;
	e->member->understood =
	    e->size < RECORD_MAX && (word != NULL ? bytes_equal(text, bytes_of_text(word)) : is_release(text));
	if (!e->member->understood)
		zip_report_entry(l, e, WLK_F_PT2_STRUCTURE);
	return WLK_DONE;
}

static const struct {
	const char *name, *word;
	bool needed;
} records[] = {
	{ "archive_format", "pt2", true },
	{ "archive_version", "0", true },
	{ ".data/version", NULL, true },
	{ "byteorder", "little", false },
};

static enum wlk_status read_records(struct layout *l, const struct zip_archive *a)
{
	enum wlk_status status = WLK_DONE;

	for (size_t i = 0; status == WLK_DONE && i < sizeof(records) / sizeof(records[0]); i++) {
		const struct zip_entry *e = find(a, "", bytes_of_text(records[i].name), "");

		if (e != NULL)
			status = read_record(l, e, records[i].word);
		else if (records[i].needed)
			layout_at(l, WLK_F_PT2_STRUCTURE, 0);
	}
	return status;
}

/* Each graph has its tensors and the arguments it was made with. */
static void check_program(struct layout *l, const struct zip_archive *a, const struct zip_entry *e, struct bytes name)
{
	struct bytes model = behind(name, strlen(MODELS));

	model.n -= strlen(".json");
	if ((find(a, WEIGHTS, model, "_weights_config.json") == NULL && find(a, WEIGHTS, model, ".pt") == NULL) ||
	    (find(a, CONSTANTS, model, "_constants_config.json") == NULL && find(a, CONSTANTS, model, ".pt") == NULL) ||
	    find(a, SAMPLES, model, ".pt") == NULL)
		zip_report_entry(l, e, WLK_F_PT2_STRUCTURE);
}

static bool is_program(struct bytes name)
{
	return bytes_begin_with(name, MODELS) && bytes_end_with(name, ".json");
}

/* What describes the tensors, before these are judged. */
static enum wlk_status read_description(struct layout *l, const struct zip_archive *a, const struct zip_entry *e)
{
	struct bytes root = root_of(a->zip.entries[0].name), name;

	if (!name_below(a, e, &name)) {
		zip_report_entry(l, e, WLK_F_PT2_STRUCTURE);
		return WLK_DONE;
	}
	if (is_program(name))
		check_program(l, a, e, name);
	if (!e->readable)
		return WLK_DONE;
	if (bytes_begin_with(name, WEIGHTS) && bytes_end_with(name, "_weights_config.json"))
		return pt2_payload_judge(l, a, e, root, WEIGHTS);
	if (bytes_begin_with(name, CONSTANTS) && bytes_end_with(name, "_constants_config.json"))
		return pt2_payload_judge(l, a, e, root, CONSTANTS);
	return WLK_DONE;
}

/* Never accepted: whether a graph's nodes fit each other, what evaluating an expression takes, and whether what one description calls
 * bytes another has unpickled, nobody asks. */
static void hold(struct layout *l)
{
	layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
}

static enum wlk_status begin(struct layout *l, struct zip_archive *a)
{
	enum wlk_status status;

	hold(l);
	if (a->zip.n == 0)
		return WLK_DONE;
	status = read_records(l, a);
	for (size_t i = 0; status == WLK_DONE && i < a->zip.n; i++)
		status = read_description(l, a, &a->zip.entries[i]);
	return status;
}

/* -- members -- */

/* A member that no description names: a pickled tensor or object is judged as what it is, raw bytes belong to nobody. */
static enum wlk_status judge_payload(struct layout *l, const struct zip_entry *e)
{
	enum wlk_format_id id;
	enum wlk_status status = nested_judge(l, e->member, &id);

	if (status == WLK_DONE && id == WLK_FORMAT_UNKNOWN)
		zip_report_entry(l, e, WLK_F_TORCH_STORAGE_ORPHAN);
	return status;
}

/* Compiled programs, which are linked into whoever loads the package. */
static enum wlk_status judge_compiled(struct layout *l, const struct zip_entry *e)
{
	if (!bytes_end_with(e->name, ".json"))
		zip_report_entry(l, e, WLK_F_TORCH_NATIVE_CODE);
	return zip_judge_or_text(l, e, WLK_F_FORMAT_UNKNOWN);
}

static bool is_known(struct bytes name)
{
	static const char *const folders[] = { SAMPLES, "extra/", "data/executorch/", MODELS };
	static const char *const texts[] = { "version", ".data/serialization_id", ".format_version",
		".storage_alignment" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (bytes_begin_with(name, folders[i]))
			return true;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (zip_name_is(name, texts[i]))
			return true;
	return false;
}

/* What begin() has judged. */
static bool is_read(struct bytes name)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (zip_name_is(name, records[i].name))
			return true;
	return (bytes_begin_with(name, WEIGHTS) && bytes_end_with(name, "_weights_config.json")) ||
	       (bytes_begin_with(name, CONSTANTS) && bytes_end_with(name, "_constants_config.json"));
}

static enum wlk_status judge_member(struct layout *l, struct zip_archive *a, const struct zip_entry *e)
{
	struct bytes name;

	(void)name_below(a, e, &name);
	if (e->member->understood || is_read(name))
		return WLK_DONE;
	if (is_program(name))
		return pt2_program_judge(l, e);
	if (bytes_begin_with(name, WEIGHTS) || bytes_begin_with(name, CONSTANTS))
		return judge_payload(l, e);
	if (bytes_begin_with(name, COMPILED))
		return judge_compiled(l, e);
	if (!is_known(name))
		zip_report_entry(l, e, WLK_F_TORCH_UNKNOWN_MEMBER);
	return zip_judge_or_text(l, e, WLK_F_FORMAT_UNKNOWN);
}

/* -- until release 2.7 -- */

static const char *const old_parts[] = { OLD_PROGRAM, "serialized_state_dict.pt", "serialized_constants.pt",
	"serialized_example_inputs.pt" };

#define N_OLD (sizeof(old_parts) / sizeof(old_parts[0]))

static enum wlk_status begin_old(struct layout *l, struct zip_archive *a)
{
	hold(l);
	for (size_t i = 0; i < N_OLD; i++)
		if (zip_find(&a->zip, bytes_of_text(old_parts[i])) == NULL)
			layout_at(l, WLK_F_PT2_STRUCTURE, 0);
	return WLK_DONE;
}

static enum wlk_status judge_old(struct layout *l, struct zip_archive *a, const struct zip_entry *e)
{
	bool known = zip_name_is(e->name, "version") || bytes_begin_with(e->name, "extra_files/");

	(void)a;
	if (zip_name_is(e->name, OLD_PROGRAM))
		return pt2_program_judge(l, e);
	for (size_t i = 0; i < N_OLD; i++)
		known |= zip_name_is(e->name, old_parts[i]);
	if (!known)
		zip_report_entry(l, e, WLK_F_TORCH_UNKNOWN_MEMBER);
	return zip_judge_or_text(l, e, WLK_F_FORMAT_UNKNOWN);
}

const struct zip_reader zip_reader_pt2 = {
	.id = WLK_FORMAT_PT2, .profile = ZIP_PLAIN, .marker = "*/archive_format", .begin = begin, .member = judge_member
};
const struct zip_reader zip_reader_pt2_old = {
	.id = WLK_FORMAT_PT2, .profile = ZIP_PLAIN, .marker = OLD_PROGRAM, .begin = begin_old, .member = judge_old
};

/* What its writer begins with; an archive in another order is known by its directory. */
static bool probe(const struct probe *p)
{
	static const char *const firsts[] = { MODELS, WEIGHTS, CONSTANTS, SAMPLES, COMPILED, "archive_format",
		"archive_version" };
	struct bytes name, root;

	if (!zip_first_name(p, &name))
		return false;
	root = root_of(name);
	for (size_t i = 0; root.n > 0 && i < sizeof(firsts) / sizeof(firsts[0]); i++)
		if (bytes_begin_with(behind(name, root.n + 1), firsts[i]))
			return true;
	return false;
}

static enum wlk_status layout(struct layout *l)
{
	return zip_layout(l, &zip_reader_pt2);
}

const struct wlk_format format_pt2 = {
	.id = WLK_FORMAT_PT2, .probe = probe, .layout = layout, .finish = zip_layout_finish, .nested = NESTED_RANDOM
};
