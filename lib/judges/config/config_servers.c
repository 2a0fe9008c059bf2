/* Servers and tools: formats/configs, section 2.3. */
#include "config_references.h"

#define MLFLOW_VOUCHED                                                                                                \
	"=mlflow.sklearn =mlflow.pytorch =mlflow.tensorflow =mlflow.keras =mlflow.xgboost =mlflow.lightgbm "          \
	"=mlflow.catboost "                                                                                           \
	"=mlflow.spacy =mlflow.fastai =mlflow.onnx =mlflow.statsmodels =mlflow.prophet =mlflow.pmdarima =mlflow.h2o " \
	"=mlflow.transformers =mlflow.sentence_transformers =mlflow.openai =mlflow.langchain =mlflow.spark "          \
	"=mlflow.paddle "                                                                                             \
	"=mlflow.gluon =mlflow.mleap =mlflow.diviner =mlflow.llama_index =mlflow.dspy =mlflow.promptflow "            \
	"=mlflow.johnsnowlabs "                                                                                       \
	"=mlflow.haystack =mlflow.shap =mlflow.pyfunc.model =mlflow.pyfunc.loaders.chat_model "                       \
	"=mlflow.pyfunc.loaders.code_model =mlflow.pyfunc.loaders.chat_agent =mlflow.pyfunc.loaders.responses_agent"

static struct bytes text_of(const struct config *c, uint32_t node)
{
	return c->nodes[node].text;
}

static void judge_paths_of(struct config *c, uint32_t node, bool asked)
{
	if (asked)
		judge_read_path(c, node);
}

/* mlflow/pyfunc/__init__.py, get_model_dependencies(); utils/virtualenv.py: files that say what is installed.  Those of these names
 * are judged as that. */
static void judge_env_file(struct config *c, uint32_t node)
{
	struct bytes path = text_of(c, node);

	if (c->nodes[node].type != CONFIG_TEXT ||
	    config_is_word_of(path, "conda.yaml python_env.yaml requirements.txt"))
		return;
	if (config_path_fault(path) != 0)
		config_tell(c, config_path_fault(path), node);
	else if (config_ends(path, ".yaml") || config_ends(path, ".yml"))
		config_tell(c, WLK_F_CONFIG_REQUIREMENT, node);
}

static void judge_env(struct config *c, uint32_t node)
{
	judge_env_file(c, node);
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next)
		judge_env_file(c, i);
}

/* mlflow/pyfunc/__init__.py: importlib.import_module(loader_module); `code` goes to sys.path before. */
static bool judge_mlflow(struct config *c, uint32_t node)
{
	if (!config_in(c, CONFIG_MLFLOW))
		return false;
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_LOADER_MODULE: judge_import(c, node, MLFLOW_VOUCHED); return true;
	case KEY_SKOPS_TRUSTED: judge_imports(c, node, "sklearn.* numpy.* scipy.* =numpy.dtype"); return true;
	case KEY_CODE:
		if (node_under(c, node) == KEY_PYTHON_FUNCTION && text_of(c, node).n > 0)
			config_local_folder(c, node);
		return true;
	case KEY_MODEL_CODE_PATH: config_tell(c, WLK_F_CONFIG_CODE_FILE, node); return true;
	case KEY_ENV: judge_env(c, node); return true;
	case KEY_PATH: /* artifacts.NAME.path: pyfunc/model.py */ judge_paths_of(c, node, true); return true;
	case KEY_ARTIFACT_PATH:
		judge_paths_of(c, node, config_path_fault(text_of(c, node)) == WLK_F_CONFIG_PATH_ESCAPE);
		return true;
	case KEY_SOURCE_REVISION: /* transformers/model_io.py: the model is fetched, and a class that transformers lacks is trusted */
		if (bytes_equal(c->nodes[c->nodes[node].parent].name, bytes_of_text("transformers")) &&
		    text_of(c, node).n > 0)
			config_tell(c, WLK_F_CONFIG_REMOTE_CODE_GATED, node);
		return true;
	case KEY_EXPLAINER: /* shap, tensorflow, diffusers, promptflow: joined to the folder, unpickled or loaded */
	case KEY_SAVED_MODEL_DIR:
	case KEY_ADAPTER_WEIGHTS:
	case KEY_PARAMETERS_PATH:
	case KEY_MODEL_DATA:
	case KEY_PERSIST_DIR:
	case KEY_LOADER_FN:
	case KEY_TOOLS_DATA:
	case KEY_AGENT_DATA:
	case KEY_MODEL_BINARY:
	case KEY_PICKLED_MODEL:
	case KEY_PYTHON_MODEL:
	case KEY_MODEL_PATH:
	case KEY_DATA: judge_paths_of(c, node, true); return true;
	default: return false;
	}
}

/* -- libraries: onnxruntime-genai, src/config.cpp -- */

static struct bytes base_of(struct bytes path)
{
	size_t at = path.n;

	while (at > 0 && path.at[at - 1] != '/' && path.at[at - 1] != '\\')
		at--;
	return bytes_of(path.at + at, path.n - at);
}

static bool is_vendor(struct bytes path)
{
	struct bytes base = base_of(path);

	if (config_path_fault(path) != 0 || base.n != path.n)
		return false;
	if (config_holds(base, "ortextensions"))
		return true;
	if (config_begins(base, "lib"))
		base = bytes_of(base.at + 3, base.n - 3);
	base.n -= config_ends(base, ".dll") ? 4 : config_ends(base, ".so") ? 3 : 0;
	return config_is_word_of(base, "onnx_custom_ops onnxruntime_vitis_ai_custom_ops");
}

static void judge_library(struct config *c, uint32_t node)
{
	if (text_of(c, node).n > 0)
		config_tell(c, is_vendor(text_of(c, node)) ? WLK_F_CONFIG_LIBRARY_VENDOR : WLK_F_CONFIG_LIBRARY, node);
}

/* -- Ollama -- */

static bool is_hex(struct bytes b, size_t n)
{
	for (size_t i = 0; i < b.n; i++)
		if (!(b.at[i] >= '0' && b.at[i] <= '9') && !(b.at[i] >= 'a' && b.at[i] <= 'f'))
			return false;
	return b.n == n;
}

static void judge_digest(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node), rest = bytes_of(text.at, 0);

	if (text.n > 7)
		rest = bytes_of(text.at + 7, text.n - 7);
	if (((config_begins(text, "sha256:") || config_begins(text, "sha256-")) && is_hex(rest, 64)) ||
	    (config_begins(text, "sha512:") && is_hex(rest, 128)))
		return;
	config_tell(c, WLK_F_CONFIG_DIGEST, node);
}

/* -- BentoML: bentoml/_internal/service/loader.py, import_service(): from the folder, which is put on sys.path -- */

static bool is_order(struct config *c, uint32_t node)
{
	return node_beside(c, node, KEY_API_VERSION) && node_beside(c, node, KEY_KIND);
}

static void judge_service(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);
	const uint8_t *colon = memchr(text.at, ':', text.n);

	if (colon == NULL || !node_is_outermost(c, node) || is_order(c, node) || !config_is_name(text))
		return;
	if (config_name_standing(text, NULL, NULL) == CONFIG_NAME_DENIED)
		judge_import(c, node, NULL);
	else
		config_local_code(c, bytes_of(text.at, (size_t)(colon - text.at)), node);
}

/* -- packages -- */

/* Texts of a list of packages, and of the lists in it ({pip: [...]}). */
static void judge_channels(struct config *c, uint32_t list)
{
	for (uint32_t i = c->nodes[list].first; i != NODE_NONE; i = c->nodes[i].next) {
		bool place = c->nodes[i].type == CONFIG_TEXT &&
			     (config_holds(text_of(c, i), "://") || config_path_fault(text_of(c, i)) != 0);
		enum wlk_finding code = place ? config_requirement_fault(text_of(c, i)) : 0;

		if (code != 0)
			config_tell(c, code, i);
	}
}

static void judge_packages(struct config *c, uint32_t list)
{
	for (uint32_t i = c->nodes[list].first; i != NODE_NONE; i = c->nodes[i].next) {
		enum wlk_finding code = c->nodes[i].type == CONFIG_TEXT ? config_requirement_fault(text_of(c, i)) : 0;

		if (code != 0)
			config_tell(c, code, i);
	}
}

/* -- Ultralytics: eval() of the metadata of exported models -- */

static bool is_evaluated(enum config_key key)
{
	return key == KEY_NAMES || key == KEY_STRIDE || key == KEY_IMGSZ || key == KEY_KPT_SHAPE ||
	       key == KEY_CLASS_NAMES || key == KEY_ARGS || key == KEY_BATCH;
}

static bool judge_path_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_FILENAME:
	case KEY_CONFIG_FILENAME:
	case KEY_ADAPTER_FILENAME:
	case KEY_DATA_FILE: judge_paths_of(c, node, config_in(c, CONFIG_GENAI)); return true;
	case KEY_URI: judge_paths_of(c, node, config_in(c, CONFIG_MLSERVER)); return true;
	case KEY_DIGEST:
		if (config_in(c, CONFIG_OLLAMA))
			judge_digest(c, node);
		return true;
	case KEY_DESCRIPTION: /* file:PATH, bentoml/_internal/bento/build_config.py (CVE-2026-24123) */
	case KEY_ENVIRONMENT_YML:
	case KEY_REQUIREMENTS_TXT: judge_paths_of(c, node, config_in(c, CONFIG_BENTOML)); return true;
	case KEY_SETUP_SCRIPT:
	case KEY_DOCKERFILE:
		if (config_in(c, CONFIG_BENTOML))
			config_local_folder(c, node);
		return true;
	default: return false;
	}
}

bool judge_server_key(struct config *c, uint32_t node)
{
	enum config_key key = (enum config_key)c->nodes[node].key;

	if (is_evaluated(key)) {
		if (config_in(c, CONFIG_ULTRALYTICS) && node_is_outermost(c, node))
			judge_evaluate(c, node, config_literal_fault);
		return true;
	}
	switch (key) {
	/* mlserver/settings.py, ModelSettings.implementation, Settings.model_repository_implementation: import_string() of
	 * pydantic, module.attribute or module:attribute */
	case KEY_IMPLEMENTATION:
	case KEY_REPOSITORY_IMPLEMENTATION:
		if (!node_is_outermost(c, node) ||
		    (!config_in(c, CONFIG_MLSERVER) && !config_holds(text_of(c, node), ".") &&
			!config_holds(text_of(c, node), ":")))
			return false;
		judge_import(c, node,
		    "mlserver.* mlserver_sklearn.* mlserver_xgboost.* mlserver_lightgbm.* mlserver_mlflow.* "
		    "mlserver_huggingface.* mlserver_catboost.* mlserver_alibi_explain.* "
		    "mlserver_alibi_detect.* mlserver_mllib.*");
		return true;
	case KEY_SERVICE: judge_service(c, node); return true;
	case KEY_CUSTOM_OPS:
	case KEY_LIBRARY_PATH:
	case KEY_EP_LIBRARY:
		if (config_in(c, CONFIG_GENAI))
			judge_library(c, node);
		return config_in(c, CONFIG_GENAI);
	case KEY_CHANNELS:
		if (config_in(c, CONFIG_CONDA))
			judge_channels(c, node);
		return true;
	case KEY_PACKAGES:
	case KEY_PIP:
	case KEY_DEPENDENCIES:
	case KEY_BUILD_DEPENDENCIES:
		if (config_in(c, CONFIG_CONDA) || config_in(c, CONFIG_BENTOML))
			judge_packages(c, node);
		return true;
	default: return judge_path_key(c, node) || judge_mlflow(c, node);
	}
}
