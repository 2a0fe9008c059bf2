/* A name beside the content: one report, as many verdicts as the file has names. */
#include "harness.h"

#include "made_facts.h"
#include "mismatch.h"

static struct made m;

/* The finding of a file of this content under this name; WLK_N_FINDINGS for none. */
static enum wlk_finding found(enum wlk_format_id content, const char *name)
{
	struct finding f = { .code = WLK_N_FINDINGS };

	m.facts.final.format = content;
	if (!mismatch_find(&m.facts, name, &f))
		return WLK_N_FINDINGS;
	ck_assert(bytes_equal(f.found.text, bytes_of_text(format_info(content)->name)));
	return f.code;
}

#define NOTHING WLK_N_FINDINGS

START_TEST(test_content_that_is_loaded_and_run_is_an_attack_under_another_name)
{
	static const enum wlk_format_id acting[] = { WLK_FORMAT_PICKLE, WLK_FORMAT_JOBLIB, WLK_FORMAT_PYTORCH,
		WLK_FORMAT_PYTORCH_LEGACY, WLK_FORMAT_TORCHSCRIPT, WLK_FORMAT_ELF, WLK_FORMAT_PE };

	made_init(&m);
	for (size_t i = 0; i < sizeof(acting) / sizeof(acting[0]); i++) {
		ck_assert_int_eq(found(acting[i], "a.safetensors"), WLK_F_FORMAT_EXTENSION_MISMATCH);
		ck_assert_int_eq(found(acting[i], "a.png"), WLK_F_FORMAT_EXTENSION_MISMATCH);
		ck_assert_int_eq(found(acting[i], "README.md"), WLK_F_FORMAT_EXTENSION_MISMATCH);
	}
}
END_TEST

START_TEST(test_an_archive_is_an_attack_when_code_was_found_in_it)
{
	made_init(&m);
	ck_assert_int_eq(found(WLK_FORMAT_ZIP, "a.gguf"), WLK_F_FORMAT_NAME_DIFFERS);
	m.facts.per_code[WLK_F_PICKLE_CALL_DANGEROUS] = 1;
	ck_assert_int_eq(found(WLK_FORMAT_ZIP, "a.gguf"), WLK_F_FORMAT_EXTENSION_MISMATCH);
}
END_TEST

START_TEST(test_an_archive_that_no_loader_opens_is_an_attack_in_the_clothes_of_a_model)
{
	static const char *const models[] = { "pytorch_model.bin", "a.pt", "a.safetensors", "a.gguf", "a.h5", "a.keras",
		"a.npz", "a.engine" };

	made_init(&m);
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		ck_assert_int_eq(found(WLK_FORMAT_SEVEN_ZIP, models[i]), WLK_F_FORMAT_EXTENSION_MISMATCH);
		ck_assert_int_eq(found(WLK_FORMAT_RAR, models[i]), WLK_F_FORMAT_EXTENSION_MISMATCH);
	}
	ck_assert_int_eq(found(WLK_FORMAT_SEVEN_ZIP, "a.7z"), NOTHING);
	ck_assert_int_eq(found(WLK_FORMAT_SEVEN_ZIP, "a.dat"), NOTHING);
	ck_assert_int_eq(found(WLK_FORMAT_SEVEN_ZIP, "a.zip"), WLK_F_FORMAT_NAME_DIFFERS);
	ck_assert_int_eq(found(WLK_FORMAT_SEVEN_ZIP, "config.json"), WLK_F_FORMAT_NAME_DIFFERS);
	ck_assert_int_eq(found(WLK_FORMAT_COMPRESS, "a.bin"), NOTHING); /* two bytes, which weights may begin with */
}
END_TEST

START_TEST(test_content_that_does_nothing_only_differs)
{
	made_init(&m);
	ck_assert_int_eq(found(WLK_FORMAT_SAFETENSORS, "a.onnx"), WLK_F_FORMAT_NAME_DIFFERS);
	ck_assert_int_eq(found(WLK_FORMAT_PNG, "a.txt"), WLK_F_FORMAT_NAME_DIFFERS);
	ck_assert_int_eq(found(WLK_FORMAT_PNG, "a.bin"), WLK_F_FORMAT_NAME_DIFFERS);
}
END_TEST

START_TEST(test_families_share_their_names)
{
	static const struct {
		enum wlk_format_id content;
		const char *name;
	} honest[] = { { WLK_FORMAT_PICKLE, "a.pt" }, { WLK_FORMAT_PYTORCH, "a.pkl" }, { WLK_FORMAT_PYTORCH, "a.bin" },
		{ WLK_FORMAT_KERAS_HDF5, "a.keras" }, { WLK_FORMAT_TAR, "a.nemo" }, { WLK_FORMAT_GZIP, "a.tar.gz" },
		{ WLK_FORMAT_PYTORCH, "a.pth.tar" }, { WLK_FORMAT_JOBLIB, "a.pkl.gz" }, { WLK_FORMAT_PNG, "a.jpg" },
		{ WLK_FORMAT_JSON, "a.txt" }, { WLK_FORMAT_LIGHTGBM, "a.txt" }, { WLK_FORMAT_ZIP, "a.skops" },
		{ WLK_FORMAT_PICKLE, "a.npy" } };

	made_init(&m);
	for (size_t i = 0; i < sizeof(honest) / sizeof(honest[0]); i++)
		ck_assert_msg(found(honest[i].content, honest[i].name) == NOTHING, "%s", honest[i].name);
}
END_TEST

START_TEST(test_a_name_or_a_content_that_says_nothing_differs_from_nothing)
{
	made_init(&m);
	ck_assert_int_eq(found(WLK_FORMAT_PICKLE, NULL), NOTHING);
	ck_assert_int_eq(found(WLK_FORMAT_PICKLE, "pickle"), NOTHING);
	ck_assert_int_eq(found(WLK_FORMAT_UNKNOWN, "a.gguf"), NOTHING);
	ck_assert_int_eq(found(WLK_FORMAT_LFS_POINTER, "a.gguf"), NOTHING);
	m.facts.has_final = false;
	ck_assert_int_eq(found(WLK_FORMAT_PICKLE, "a.gguf"), NOTHING);
}
END_TEST

START_TEST(test_what_the_worker_said_is_not_said_twice)
{
	made_init(&m);
	m.facts.per_code[WLK_F_FORMAT_EXTENSION_MISMATCH] = 1;
	ck_assert_int_eq(found(WLK_FORMAT_PICKLE, "a.safetensors"), NOTHING);
}
END_TEST

START_TEST(test_every_format_agrees_with_its_own_names)
{
	for (unsigned i = 0; i < WLK_N_FORMATS; i++)
		if (i != WLK_FORMAT_OTHER)
			ck_assert(mismatch_agree((enum wlk_format_id)i, (enum wlk_format_id)i));
}
END_TEST

HARNESS("mismatch", test_content_that_is_loaded_and_run_is_an_attack_under_another_name,
    test_an_archive_is_an_attack_when_code_was_found_in_it,
    test_an_archive_that_no_loader_opens_is_an_attack_in_the_clothes_of_a_model,
    test_content_that_does_nothing_only_differs, test_families_share_their_names,
    test_a_name_or_a_content_that_says_nothing_differs_from_nothing, test_what_the_worker_said_is_not_said_twice,
    test_every_format_agrees_with_its_own_names)
