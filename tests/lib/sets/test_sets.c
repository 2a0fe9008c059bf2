/* The judge of sets, by documents put together here: formats/safetensors-index, sections 3, 4 and 9, and formats/gguf,
 * rule 47. */
#include <time.h>

#include "harness.h"
#include "set_builder.h"

#define ST WLK_FORMAT_SAFETENSORS
#define WHOLE SET_MEMBER_WHOLE

/* The set most tests change: two shards, three tensors of 24 bytes in all, and an index that is right. */
struct model {
	struct set_builder b;
	struct set_builder_member *index, *one, *two;
};

static struct set_builder_member *shard(struct set_builder *b, const char *name)
{
	return set_add(b, name, WHOLE, ST, 100);
}

/* All three in a folder, whose name ends with a slash. */
static struct model model_in(const char *folder)
{
	struct model m = { 0 };
	char name[256];

	snprintf(name, sizeof(name), "%smodel.safetensors.index.json", folder);
	m.index = set_add(&m.b, name, WHOLE, WLK_FORMAT_SAFETENSORS_INDEX, 200);
	snprintf(name, sizeof(name), "%smodel-00001-of-00002.safetensors", folder);
	m.one = shard(&m.b, name);
	snprintf(name, sizeof(name), "%smodel-00002-of-00002.safetensors", folder);
	m.two = shard(&m.b, name);
	return m;
}

#define ONE "model-00001-of-00002.safetensors"
#define TWO "model-00002-of-00002.safetensors"

static void fill(struct model *m)
{
	set_mapping(m->index, "a", ONE);
	set_mapping(m->index, "b", ONE);
	set_mapping(m->index, "c", TWO);
	set_tensor(m->one, "a", 2);
	set_tensor(m->one, "b", 2);
	set_tensor(m->two, "c", 2);
}

static struct model model(void)
{
	struct model m = model_in("");

	fill(&m);
	set_number(m.index, WLK_FACT_INDEX_TOTAL_SIZE, 24);
	return m;
}

static const struct finding *only(const struct facts *f, enum wlk_finding code)
{
	ck_assert_msg(f->n_findings == 1 && f->findings[0].code == code, "%zu findings, the first is %s", f->n_findings,
	    f->n_findings > 0 ? finding_info(f->findings[0].code)->code : "none");
	return &f->findings[0];
}

static void is_text(struct bytes b, const char *text)
{
	ck_assert_msg(bytes_equal(b, bytes_of_text(text)), "%.*s, not %s", (int)b.n, (const char *)b.at, text);
}

static void nothing(struct facts *f)
{
	ck_assert_msg(f->n_findings == 0 && f->final.complete, "%zu findings, %s", f->n_findings,
	    f->n_findings > 0 ? finding_info(f->findings[0].code)->code : cause_text(f->final.cause));
	facts_free(f);
}

/* One finding, about this member and this subject. */
static void one_finding(struct facts *f, enum wlk_finding code, const char *member, const char *subject, bool complete)
{
	const struct finding *found = only(f, code);

	is_text(found->member, member);
	is_text(found->subject, subject);
	ck_assert_int_eq(f->final.complete, complete);
	facts_free(f);
}

START_TEST(test_a_right_set_has_no_finding)
{
	struct model m = model();
	struct facts *f = set_judge(&m.b);

	ck_assert_int_eq(f->final.format, WLK_FORMAT_SET);
	ck_assert(f->final.has_digest);
	nothing(f);
}
END_TEST

START_TEST(test_an_empty_document_and_one_without_an_index_are_fine)
{
	struct set_builder b = { 0 };

	nothing(set_judge(&b));
	set_tensor(shard(&b, ONE), "a", 1);
	set_tensor(shard(&b, TWO), "a", 1);
	nothing(set_judge(&b));
}
END_TEST

START_TEST(test_content_never_makes_a_file_a_set)
{
	struct model m = model();
	struct memory_report document = set_document(&m.b);
	struct facts *f = memory_scan(document.at, document.n);

	ck_assert_int_ne(f->final.format, WLK_FORMAT_SET);
	ck_assert(!f->final.complete);
	facts_free(f);
	free(document.at);
	set_builder_free(&m.b);
}
END_TEST

START_TEST(test_members_are_matched_inside_their_folder)
{
	struct model m = model_in("unet/");

	fill(&m);
	nothing(set_judge(&m.b));
	m = model_in("unet/");
	fill(&m);
	snprintf(m.two->name, sizeof(m.two->name), "vae/%s", TWO);
	m.two->member.name = bytes_of_text(m.two->name);
	one_finding(set_judge(&m.b), WLK_F_INDEX_SHARD_MISSING, "unet/model.safetensors.index.json", TWO, false);
}
END_TEST

START_TEST(test_two_folders_may_hold_the_same_names)
{
	struct model m = model_in("a/"), other = model_in("b/");

	fill(&m);
	fill(&other);
	for (size_t i = 0; i < other.b.n; i++)
		m.b.m[m.b.n++] = other.b.m[i];
	nothing(set_judge(&m.b));
}
END_TEST

START_TEST(test_a_missing_shard_is_named)
{
	struct model m = model();

	set_mapping(m.index, "d", "model-00003-of-00003.safetensors");
	one_finding(set_judge(&m.b), WLK_F_INDEX_SHARD_MISSING, "model.safetensors.index.json",
	    "model-00003-of-00003.safetensors", false);
}
END_TEST

START_TEST(test_a_name_that_leads_elsewhere_is_no_file_of_the_folder)
{
	struct model m = model();

	set_mapping(m.index, "d", "sub/x.safetensors"); /* which the reader of the index reports */
	set_add(&m.b, "sub/x.safetensors", WHOLE, ST, 8);
	nothing(set_judge(&m.b));
}
END_TEST

START_TEST(test_links_and_folders_are_no_shards)
{
	struct model m = model();

	m.two->member.state = SET_MEMBER_LINK;
	one_finding(set_judge(&m.b), WLK_F_INDEX_SHARD_SYMLINK, TWO, "", false);
	m = model();
	m.two->member.state = SET_MEMBER_SPECIAL;
	one_finding(set_judge(&m.b), WLK_F_INDEX_SHARD_TYPE, TWO, "", false);
	m = model();
	snprintf(m.two->name, sizeof(m.two->name), TWO "/note.txt");
	m.two->member.name = bytes_of_text(m.two->name);
	one_finding(set_judge(&m.b), WLK_F_INDEX_SHARD_TYPE, "model.safetensors.index.json", TWO, false);
}
END_TEST

/* Of what was not judged to its end nothing is known: neither missing tensors nor sums are claimed. */
START_TEST(test_a_shard_that_was_not_read_whole_is_not_compared)
{
	static const enum set_member_state states[] = { SET_MEMBER_PARTLY, SET_MEMBER_UNREADABLE };

	for (size_t i = 0; i < 2; i++) {
		struct model m = model();

		free(m.two->rows.at);
		m.two->rows = (struct memory_report){ 0 };
		m.two->member.state = states[i];
		one_finding(set_judge(&m.b), WLK_F_INDEX_UNCHECKED, TWO, "", true);
	}
}
END_TEST

START_TEST(test_of_an_index_that_was_not_read_whole_nothing_is_claimed)
{
	struct model m = model();

	m.index->member.state = SET_MEMBER_PARTLY;
	set_tensor(m.two, "unknown", 1);
	shard(&m.b, "other.safetensors");
	one_finding(set_judge(&m.b), WLK_F_INDEX_UNCHECKED, "model.safetensors.index.json", "", true);
}
END_TEST

START_TEST(test_an_unlisted_tensor_is_named_with_its_shard)
{
	struct model m = model();

	set_number(m.index, WLK_FACT_INDEX_TOTAL_SIZE, 28);
	m.index->member.n_facts = 0;
	set_tensor(m.two, "d", 1);
	one_finding(set_judge(&m.b), WLK_F_INDEX_TENSOR_UNLISTED, TWO, "d", false);
}
END_TEST

START_TEST(test_a_missing_tensor_is_named_with_the_shard_it_should_be_in)
{
	struct model m = model();

	set_mapping(m.index, "d", TWO);
	one_finding(set_judge(&m.b), WLK_F_INDEX_TENSOR_MISSING, TWO, "d", false);
}
END_TEST

START_TEST(test_a_tensor_in_the_wrong_shard_is_not_missing_too)
{
	struct model m = model_in("");
	struct facts *f;
	const struct finding *found;

	set_mapping(m.index, "a", TWO);
	set_mapping(m.index, "b", ONE);
	set_mapping(m.index, "c", TWO);
	set_tensor(m.one, "a", 2);
	set_tensor(m.one, "b", 2);
	set_tensor(m.two, "c", 2);
	f = set_judge(&m.b);
	found = only(f, WLK_F_INDEX_TENSOR_WRONG_SHARD);
	is_text(found->member, ONE);
	is_text(found->subject, "a");
	is_text(found->allowed.text, TWO);
	ck_assert(!f->final.complete);
	facts_free(f);
}
END_TEST

START_TEST(test_a_tensor_in_two_shards_is_found_listed_or_not)
{
	struct model m = model();
	struct facts *f;

	m.index->member.n_facts = 0;
	set_tensor(m.two, "a", 1);
	one_finding(set_judge(&m.b), WLK_F_INDEX_TENSOR_DUPLICATE, TWO, "a", false);
	m = model();
	m.index->member.n_facts = 0;
	set_tensor(m.one, "d", 1);
	set_tensor(m.two, "d", 1);
	f = set_judge(&m.b);
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_TENSOR_DUPLICATE], 1);
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_TENSOR_UNLISTED], 1);
	facts_free(f);
}
END_TEST

START_TEST(test_names_are_compared_whole)
{
	char a[2000], b[2000];
	struct model m = model_in("");

	memset(a, 'x', sizeof(a));
	a[sizeof(a) - 1] = 0;
	memcpy(b, a, sizeof(b));
	b[sizeof(b) - 2] = 'y';
	set_mapping(m.index, a, ONE);
	set_mapping(m.index, "c", TWO);
	set_tensor(m.one, a, 1);
	set_tensor(m.two, "c", 1);
	nothing(set_judge(&m.b));
	m = model_in("");
	set_mapping(m.index, a, ONE);
	set_mapping(m.index, "c", TWO);
	set_tensor(m.one, b, 1);
	set_tensor(m.two, "c", 1);
	{
		struct facts *f = set_judge(&m.b);

		ck_assert_uint_eq(f->per_code[WLK_F_INDEX_TENSOR_UNLISTED], 1);
		ck_assert_uint_eq(f->per_code[WLK_F_INDEX_TENSOR_MISSING], 1);
		facts_free(f);
	}
}
END_TEST

/* What a row holds of a longer name is its beginning, and two of them may begin alike. */
START_TEST(test_names_that_were_cut_are_not_compared)
{
	struct model m = model();
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.name = bytes_of_text("a"),
		.name_bytes = 5000,
		.index = m.two->n_rows,
		.end = 4 };

	set_add_row(m.two, &row);
	nothing(set_judge(&m.b));
	m = model();
	row.kind = MANIFEST_MAPPING;
	row.file = bytes_of_text(TWO);
	row.name = bytes_of_text("beginning");
	row.end = 0;
	set_add_row(m.index, &row);
	nothing(set_judge(&m.b));
}
END_TEST

/* Rule 12: equal to the sum, to the sizes of the files, 0, and neither. */
START_TEST(test_total_size)
{
	static const struct {
		uint64_t total;
		int code; /* -1: none */
	} cases[] = { { 24, -1 }, { 0, -1 }, { 200, WLK_F_INDEX_TOTAL_FILES }, { 23, WLK_F_INDEX_TOTAL_SIZE },
		{ 25, WLK_F_INDEX_TOTAL_SIZE }, { 199, WLK_F_INDEX_TOTAL_SIZE } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct model m = model_in("");

		fill(&m);
		set_number(m.index, WLK_FACT_INDEX_TOTAL_SIZE, cases[i].total);
		if (cases[i].code < 0)
			nothing(set_judge(&m.b));
		else
			one_finding(
			    set_judge(&m.b), (enum wlk_finding)cases[i].code, "model.safetensors.index.json", "", true);
	}
}
END_TEST

START_TEST(test_total_size_is_not_compared_when_a_shard_was_not)
{
	struct model m = model();

	m.one->member.state = SET_MEMBER_PARTLY;
	one_finding(set_judge(&m.b), WLK_F_INDEX_UNCHECKED, ONE, "", true);
}
END_TEST

START_TEST(test_sums_that_do_not_fit_are_not_compared)
{
	struct model m = model();
	struct manifest_row row = { .kind = MANIFEST_TENSOR, .name = bytes_of_text("d"), .name_bytes = 1, .index = 9 };

	set_mapping(m.index, "d", TWO);
	row.end = UINT64_MAX;
	set_add_row(m.two, &row);
	m.index->facts[0].value.number = 25;
	nothing(set_judge(&m.b));
	m = model();
	set_mapping(m.index, "d", TWO);
	row.end = 0;
	row.rank = 2;
	row.shape[0] = row.shape[1] = UINT64_MAX;
	set_add_row(m.two, &row);
	set_number(m.index, WLK_FACT_INDEX_TOTAL_PARAMETERS, 9);
	nothing(set_judge(&m.b));
}
END_TEST

START_TEST(test_total_parameters)
{
	struct model m = model();

	set_number(m.index, WLK_FACT_INDEX_TOTAL_PARAMETERS, 6);
	nothing(set_judge(&m.b));
	m = model();
	set_number(m.index, WLK_FACT_INDEX_TOTAL_PARAMETERS, 7);
	one_finding(set_judge(&m.b), WLK_F_INDEX_TOTAL_PARAMETERS, "model.safetensors.index.json", "", true);
}
END_TEST

START_TEST(test_shards_agree_in_format_when_they_have_one)
{
	struct model m = model();

	set_text(m.one, WLK_FACT_METADATA_FORMAT, "pt");
	nothing(set_judge(&m.b));
	m = model();
	set_text(m.one, WLK_FACT_METADATA_FORMAT, "pt");
	set_text(m.two, WLK_FACT_METADATA_FORMAT, "pt");
	nothing(set_judge(&m.b));
	m = model();
	set_text(m.one, WLK_FACT_METADATA_FORMAT, "pt");
	set_text(m.two, WLK_FACT_METADATA_FORMAT, "mlx");
	one_finding(set_judge(&m.b), WLK_F_INDEX_FORMAT_MISMATCH, TWO, "", true);
}
END_TEST

START_TEST(test_a_shard_of_another_format)
{
	static const enum wlk_format_id others[] = { WLK_FORMAT_PICKLE, WLK_FORMAT_SAFETENSORS_INDEX, WLK_FORMAT_GGUF };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct model m = model();
		struct facts *f;

		m.two->member.format = others[i];
		f = set_judge(&m.b);
		ck_assert_uint_eq(f->per_code[WLK_F_INDEX_SHARD_FORMAT], 1);
		ck_assert_uint_eq(f->per_code[WLK_F_INDEX_TENSOR_MISSING], 0);
		ck_assert(!f->final.complete);
		facts_free(f);
	}
}
END_TEST

/* What the pointer points to was not seen, which its own verdict says. */
START_TEST(test_a_pointer_to_a_shard_is_not_compared)
{
	struct model m = model();

	m.two->member.format = WLK_FORMAT_LFS_POINTER;
	one_finding(set_judge(&m.b), WLK_F_INDEX_UNCHECKED, TWO, "", true);
}
END_TEST

START_TEST(test_a_shard_that_no_index_names)
{
	struct model m = model();

	shard(&m.b, "model-00003-of-00003.safetensors");
	set_add(&m.b, "config.json", WHOLE, WLK_FORMAT_TEXT, 8);
	set_add(&m.b, "training_args.bin", WHOLE, WLK_FORMAT_PYTORCH, 8);
	shard(&m.b, "sub/adapter.safetensors");
	one_finding(set_judge(&m.b), WLK_F_INDEX_SHARD_UNREFERENCED, "model-00003-of-00003.safetensors", "", true);
}
END_TEST

/* Names beside an index `model` whose shards are numbered; what is no piece of the model is nobody's business. */
START_TEST(test_which_names_read_as_shards)
{
	static const struct {
		const char *name;
		bool shard;
	} names[] = { { "model-extra.safetensors", true }, { "model2.safetensors", true },
		{ "MODEL_x.safetensors", true }, { "other_00001-of-00002.safetensors", true },
		{ "model.fp16.safetensors", false }, { "adapter_model.safetensors", false },
		{ "mode.safetensors", false }, { "model-extra.bin", false } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct model m = model();

		shard(&m.b, names[i].name);
		if (names[i].shard)
			one_finding(set_judge(&m.b), WLK_F_INDEX_SHARD_UNREFERENCED, names[i].name, "", true);
		else
			nothing(set_judge(&m.b));
	}
}
END_TEST

/* More stems than are told apart: then a name that fits none of those known may still fit one. */
START_TEST(test_many_indexes_in_a_folder)
{
	for (unsigned n = 15; n <= 16; n++) { /* and `model` */
		struct model m = model();
		struct facts *f;
		char name[64];

		for (unsigned i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "stem%c.safetensors.index.json", 'a' + (int)i);
			set_mapping(set_add(&m.b, name, WHOLE, WLK_FORMAT_SAFETENSORS_INDEX, 200), "a", ONE);
		}
		shard(&m.b, "adapter.safetensors");
		f = set_judge(&m.b);
		ck_assert_uint_eq(f->per_code[WLK_F_INDEX_SHARD_UNREFERENCED], n == 15 ? 0 : 1);
		facts_free(f);
	}
}
END_TEST

START_TEST(test_a_second_index_may_name_the_others)
{
	struct model m = model();
	struct set_builder_member *variant =
	    set_add(&m.b, "model.safetensors.index.fp16.json", WHOLE, WLK_FORMAT_SAFETENSORS_INDEX, 200);

	set_tensor(shard(&m.b, "model.fp16-00001-of-00001.safetensors"), "a", 2);
	set_mapping(variant, "a", "model.fp16-00001-of-00001.safetensors");
	nothing(set_judge(&m.b));
}
END_TEST

START_TEST(test_a_name_that_differs_in_case_from_a_shards)
{
	struct model m = model();
	struct facts *f;

	shard(&m.b, "Model-00002-of-00002.safetensors");
	f = set_judge(&m.b);
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_SHARD_CASE], 1);
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_SHARD_UNREFERENCED], 1);
	facts_free(f);
}
END_TEST

START_TEST(test_a_single_file_beside_the_index)
{
	struct model m = model();

	shard(&m.b, "model.safetensors");
	one_finding(set_judge(&m.b), WLK_F_INDEX_AMBIGUOUS_SET, "model.safetensors", "", true);
	m = model_in("");
	snprintf(m.one->name, sizeof(m.one->name), "model.safetensors");
	m.one->member.name = bytes_of_text(m.one->name);
	set_mapping(m.index, "a", "model.safetensors"); /* an index that names it is no second model */
	set_mapping(m.index, "c", TWO);
	set_tensor(m.one, "a", 1);
	set_tensor(m.two, "c", 1);
	nothing(set_judge(&m.b));
}
END_TEST

static struct set_builder_member *add_bin_index(struct model *m, const char *tensor)
{
	struct set_builder_member *bin =
	    set_add(&m->b, "pytorch_model.bin.index.json", WHOLE, WLK_FORMAT_SHARD_INDEX, 200);

	set_mapping(bin, tensor, "pytorch_model-00001-of-00001.bin");
	set_add(&m->b, "pytorch_model-00001-of-00001.bin", WHOLE, WLK_FORMAT_PYTORCH, 100);
	return bin;
}

START_TEST(test_two_indexes_for_the_same_tensors)
{
	struct model m = model();
	struct facts *f;

	add_bin_index(&m, "b");
	f = set_judge(&m.b);
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_AMBIGUOUS_SET], 1);
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_UNCHECKED], 1);
	ck_assert_uint_eq(f->n_findings, 2);
	facts_free(f);
	m = model();
	add_bin_index(&m, "another");
	one_finding(set_judge(&m.b), WLK_F_INDEX_UNCHECKED, "pytorch_model.bin.index.json", "", true);
}
END_TEST

START_TEST(test_pickled_shards_are_looked_for_and_not_compared)
{
	struct model m = { 0 };
	struct set_builder_member *bin = add_bin_index(&m, "a");

	set_mapping(bin, "b", "pytorch_model-00002-of-00002.bin");
	{
		struct facts *f = set_judge(&m.b);

		ck_assert_uint_eq(f->per_code[WLK_F_INDEX_SHARD_MISSING], 1);
		ck_assert_uint_eq(f->per_code[WLK_F_INDEX_TENSOR_MISSING], 0);
		facts_free(f);
	}
}
END_TEST

START_TEST(test_a_shard_of_a_pickle_index_that_is_no_pickle)
{
	static const enum wlk_format_id others[] = { ST, WLK_FORMAT_GGUF, WLK_FORMAT_TEXT, WLK_FORMAT_SHARD_INDEX };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct model m = { 0 };
		struct facts *f;

		add_bin_index(&m, "a");
		m.b.m[1]->member.format = others[i];
		f = set_judge(&m.b);
		ck_assert_uint_eq(f->per_code[WLK_F_INDEX_SHARD_FORMAT], 1);
		facts_free(f);
	}
}
END_TEST

START_TEST(test_beside_a_pickle_index_only_numbered_files_are_shards)
{
	struct model m = { 0 };
	struct facts *f;

	add_bin_index(&m, "a");
	set_add(&m.b, "training_args.bin", WHOLE, WLK_FORMAT_PYTORCH, 8);
	shard(&m.b, "adapter.safetensors");
	one_finding(set_judge(&m.b), WLK_F_INDEX_UNCHECKED, "pytorch_model.bin.index.json", "", true);
	add_bin_index(&m, "a");
	set_add(&m.b, "pytorch_model-00002-of-00002.bin", WHOLE, WLK_FORMAT_PYTORCH, 8);
	f = set_judge(&m.b);
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_SHARD_UNREFERENCED], 1);
	facts_free(f);
}
END_TEST

START_TEST(test_of_200_shards_the_wrong_entry_is_found)
{
	struct set_builder b = { 0 };
	struct set_builder_member *index =
	    set_add(&b, "model.safetensors.index.json", WHOLE, WLK_FORMAT_SAFETENSORS_INDEX, 1000);
	char file[64], tensor[64];

	for (unsigned i = 1; i <= 200; i++) {
		struct set_builder_member *s;

		snprintf(file, sizeof(file), "model-%05u-of-00200.safetensors", i);
		s = shard(&b, file);
		for (unsigned k = 0; k < 50; k++) {
			snprintf(tensor, sizeof(tensor), "layers.%u.weight.%u", i, k);
			set_tensor(s, tensor, 8);
			if (i == 117 && k == 31)
				set_mapping(index, tensor, "model-00116-of-00200.safetensors");
			else
				set_mapping(index, tensor, file);
		}
	}
	set_number(index, WLK_FACT_INDEX_TOTAL_SIZE, 200 * 50 * 32);
	one_finding(set_judge(&b), WLK_F_INDEX_TENSOR_WRONG_SHARD, "model-00117-of-00200.safetensors",
	    "layers.117.weight.31", false);
}
END_TEST

/* -- splits -- */

static struct set_builder_member *part(struct set_builder *b, unsigned no, unsigned of, unsigned tensors)
{
	struct set_builder_member *m;
	char name[64];

	snprintf(name, sizeof(name), "m-q4-%05u-of-%05u.gguf", no, of);
	m = set_add(b, name, WHOLE, WLK_FORMAT_GGUF, 100);
	set_number(m, WLK_FACT_SPLIT_NO, no - 1);
	set_number(m, WLK_FACT_SPLIT_COUNT, of);
	set_number(m, WLK_FACT_SPLIT_TENSORS, tensors);
	return m;
}

struct split {
	struct set_builder b;
	struct set_builder_member *p[3];
};

static struct split split(void)
{
	struct split s = { 0 };
	static const char *const names[] = { "a", "b", "c" };

	for (unsigned i = 0; i < 3; i++) {
		s.p[i] = part(&s.b, i + 1, 3, 3);
		set_tensor(s.p[i], names[i], 1);
	}
	return s;
}

START_TEST(test_a_whole_split_has_no_finding)
{
	struct split s = split();

	set_add(&s.b, "other.gguf", WHOLE, WLK_FORMAT_GGUF, 100);
	nothing(set_judge(&s.b));
}
END_TEST

#define GGUF_ONE "m-q4-00001-of-00003.gguf"
#define GGUF_TWO "m-q4-00002-of-00003.gguf"
#define GGUF_THREE "m-q4-00003-of-00003.gguf"

START_TEST(test_a_split_with_a_part_missing)
{
	struct split s = split();

	s.b.n = 2;
	one_finding(set_judge(&s.b), WLK_F_GGUF_SPLIT_MISMATCH, GGUF_ONE, "", false);
	free(s.p[2]->rows.at);
	free(s.p[2]);
}
END_TEST

START_TEST(test_a_part_that_says_another_number_count_or_total)
{
	static const struct {
		unsigned fact;
		const char *subject;
	} cases[] = { { 0, "split.no" }, { 1, "split.count" }, { 2, "split.tensors.count" } };

	for (size_t i = 0; i < 3; i++) {
		struct split s = split();

		s.p[1]->facts[cases[i].fact].value.number += 4;
		one_finding(set_judge(&s.b), WLK_F_GGUF_SPLIT_MISMATCH, GGUF_TWO, cases[i].subject, false);
	}
}
END_TEST

START_TEST(test_a_part_without_its_keys)
{
	struct split s = split();
	struct facts *f;

	s.p[2]->member.n_facts = 0;
	f = set_judge(&s.b);
	ck_assert_uint_eq(f->per_code[WLK_F_GGUF_SPLIT_MISMATCH], 3);
	facts_free(f);
}
END_TEST

START_TEST(test_a_part_that_was_not_read_whole_may_lack_anything)
{
	struct split s = split();

	s.p[2]->member.n_facts = 0;
	s.p[2]->member.state = SET_MEMBER_PARTLY;
	s.p[0]->facts[2].value.number = 99;
	nothing(set_judge(&s.b));
}
END_TEST

START_TEST(test_a_tensor_in_two_parts)
{
	struct split s = split();

	for (unsigned i = 0; i < 3; i++)
		s.p[i]->facts[2].value.number = 4;
	set_tensor(s.p[2], "a", 1);
	one_finding(set_judge(&s.b), WLK_F_GGUF_SPLIT_MISMATCH, GGUF_THREE, "a", false);
}
END_TEST

START_TEST(test_a_number_beyond_the_total)
{
	struct split s = split();
	struct facts *f;

	snprintf(s.p[2]->name, sizeof(s.p[2]->name), "m-q4-00004-of-00003.gguf");
	f = set_judge(&s.b);
	ck_assert_uint_eq(f->n_findings, 2); /* the number, and that the third is missing */
	is_text(f->findings[0].member, "m-q4-00004-of-00003.gguf");
	ck_assert_uint_eq(f->findings[0].found.number, 4);
	ck_assert_uint_eq(f->findings[0].allowed.number, 3);
	ck_assert_uint_eq(f->findings[1].found.number, 2);
	facts_free(f);
}
END_TEST

START_TEST(test_a_part_under_another_name)
{
	struct split s = split();
	struct facts *f;

	snprintf(s.p[1]->name, sizeof(s.p[1]->name), "m.gguf");
	s.p[1]->member.name = bytes_of_text(s.p[1]->name);
	f = set_judge(&s.b);
	ck_assert_uint_eq(f->per_code[WLK_F_GGUF_SPLIT_MISMATCH], 2);
	facts_free(f);
}
END_TEST

START_TEST(test_two_totals_behind_one_stem_are_two_models)
{
	struct split s = split();

	set_tensor(part(&s.b, 1, 1, 1), "a", 1);
	nothing(set_judge(&s.b));
	s = split();
	part(&s.b, 1, 2, 1);
	one_finding(set_judge(&s.b), WLK_F_GGUF_SPLIT_MISMATCH, "m-q4-00001-of-00002.gguf", "", false);
}
END_TEST

/* -- documents that are none, and too much -- */

START_TEST(test_a_document_that_is_none_is_not_judged)
{
	struct model m = model();
	struct memory_report document = set_document(&m.b);
	struct facts *f;

	for (size_t n = 0; n < document.n; n++) {
		f = set_judge_bytes(document.at, n, 0);
		ck_assert(!f->final.complete && f->final.cause == WLK_CAUSE_INTERNAL);
		facts_free(f);
	}
	document.at[document.n - 30] ^= 0x80; /* within a row */
	store_u32le(document.at + document.n - m.two->rows.n, MANIFEST_ROW_MAX + 1);
	f = set_judge_bytes(document.at, document.n, 0);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_INTERNAL);
	facts_free(f);
	free(document.at);
	set_builder_free(&m.b);
}
END_TEST

/* Indexes that name the same large shard over and over would cost its rows each time. */
START_TEST(test_work_is_bounded_by_the_document)
{
	for (unsigned n = 6; n <= 9; n += 3) {
		struct set_builder b = { 0 };
		struct set_builder_member *s;
		struct facts *f;
		char name[64];

		s = shard(&b, "x.safetensors");
		for (unsigned i = 0; i < 2000; i++) {
			snprintf(name, sizeof(name), "tensor.%u", i);
			set_tensor(s, name, 1);
		}
		for (unsigned i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "m%u.safetensors.index.json", i);
			set_mapping(
			    set_add(&b, name, WHOLE, WLK_FORMAT_SAFETENSORS_INDEX, 10), "tensor.1", "x.safetensors");
		}
		f = set_judge(&b);
		ck_assert_int_eq(f->final.cause, n == 9 ? WLK_CAUSE_LIMIT_REREAD : WLK_CAUSE_NONE);
		facts_free(f);
	}
}
END_TEST

/* n entries in an index and n tensors in its ten shards. */
static struct memory_report large(unsigned n)
{
	struct set_builder b = { 0 };
	struct set_builder_member *index, *shards[10];
	struct memory_report document;
	char name[128], file[64];

	index = set_add(&b, "model.safetensors.index.json", WHOLE, WLK_FORMAT_SAFETENSORS_INDEX, 1000);
	for (unsigned i = 0; i < 10; i++) {
		snprintf(file, sizeof(file), "model-%05u-of-00010.safetensors", i + 1);
		shards[i] = shard(&b, file);
	}
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "model.layers.%u.mlp.experts.%u.down_proj.weight", i / 100, i);
		set_mapping(index, name, shards[i % 10]->name);
		set_tensor(shards[i % 10], name, 8);
	}
	set_number(index, WLK_FACT_INDEX_TOTAL_SIZE, (uint64_t)n * 32);
	document = set_document(&b);
	set_builder_free(&b);
	return document;
}

static double judge_large(unsigned n)
{
	struct memory_report document = large(n);
	clock_t begin = clock(), end;

	nothing(set_judge_bytes(document.at, document.n, 0));
	end = clock();
	free(document.at);
	return (double)(end - begin) / CLOCKS_PER_SEC;
}

START_TEST(test_a_million_entries_take_ten_times_as_long_as_a_hundred_thousand)
{
	double small = judge_large(100000), most = judge_large(1000000);

	printf("# 10^5 entries: %.3f s, 10^6: %.3f s\n", small, most);
	ck_assert_msg(most <= 20 * small + 0.1, "%.3f s, %.3f s", small, most);
}
END_TEST

START_TEST(test_memory_is_a_limit)
{
	struct memory_report document = large(300000);
	struct facts *f = set_judge_bytes(document.at, document.n, (uint64_t)16 << 20);

	ck_assert_int_eq(f->final.cause, WLK_CAUSE_LIMIT_MEMORY);
	facts_free(f);
	free(document.at);
}
END_TEST

HARNESS("sets", test_a_right_set_has_no_finding, test_an_empty_document_and_one_without_an_index_are_fine,
    test_content_never_makes_a_file_a_set, test_members_are_matched_inside_their_folder,
    test_two_folders_may_hold_the_same_names, test_a_missing_shard_is_named,
    test_a_name_that_leads_elsewhere_is_no_file_of_the_folder, test_links_and_folders_are_no_shards,
    test_a_shard_that_was_not_read_whole_is_not_compared, test_of_an_index_that_was_not_read_whole_nothing_is_claimed,
    test_an_unlisted_tensor_is_named_with_its_shard, test_a_missing_tensor_is_named_with_the_shard_it_should_be_in,
    test_a_tensor_in_the_wrong_shard_is_not_missing_too, test_a_tensor_in_two_shards_is_found_listed_or_not,
    test_names_are_compared_whole, test_names_that_were_cut_are_not_compared, test_total_size,
    test_total_size_is_not_compared_when_a_shard_was_not, test_sums_that_do_not_fit_are_not_compared,
    test_total_parameters, test_shards_agree_in_format_when_they_have_one, test_a_shard_of_another_format,
    test_a_pointer_to_a_shard_is_not_compared, test_a_shard_that_no_index_names, test_which_names_read_as_shards,
    test_many_indexes_in_a_folder, test_a_second_index_may_name_the_others,
    test_a_name_that_differs_in_case_from_a_shards, test_a_single_file_beside_the_index,
    test_two_indexes_for_the_same_tensors, test_pickled_shards_are_looked_for_and_not_compared,
    test_a_shard_of_a_pickle_index_that_is_no_pickle, test_beside_a_pickle_index_only_numbered_files_are_shards,
    test_of_200_shards_the_wrong_entry_is_found, test_a_whole_split_has_no_finding, test_a_split_with_a_part_missing,
    test_a_part_that_says_another_number_count_or_total, test_a_part_without_its_keys,
    test_a_part_that_was_not_read_whole_may_lack_anything, test_a_tensor_in_two_parts, test_a_number_beyond_the_total,
    test_a_part_under_another_name, test_two_totals_behind_one_stem_are_two_models,
    test_a_document_that_is_none_is_not_judged, test_work_is_bounded_by_the_document,
    test_a_million_entries_take_ten_times_as_long_as_a_hundred_thousand, test_memory_is_a_limit)
