/* See config_shapes.h.  No product is meant: plug-ins, hooks, callbacks, wrappers and components are imported by name in all of them
 * (litellm/proxy/types_utils/utils.py, get_instance_fn(); rasa/shared/utils/common.py, class_from_module_path();
 * deeppavlov/core/common/registry.py, cls_from_str(); gluonts/core/serde; kedro/io/core.py, parse_dataset_definition();
 * vllm/config/parallel.py; langgraph_cli/config.py), and a reference has a shape that little else has.  What it names is judged as in
 * section 1.1; of whose package nobody vouches it is code that a person looks at. */
#include "config_shapes.h"

#include "config_references.h"

enum {
	SHAPE_CLASS = 1u << 0,   /* a.b.Class, a.b:Class; the first part in small letters */
	SHAPE_COLON = 1u << 1,   /* a.b:c */
	SHAPE_DOTTED = 1u << 2,  /* a.b.c */
	SHAPE_FILE = 1u << 3,    /* a/b.py */
	SHAPE_PLACE = 1u << 4,   /* a/b.py:c */
	SHAPE_CAPITAL = 1u << 5, /* the first part may begin with one */
	SHAPE_ANY = SHAPE_CLASS | SHAPE_COLON | SHAPE_DOTTED | SHAPE_FILE,
};

/* -- keys -- */

/* The last word of a key: of post_call_rules, kv-connector or envWrapper. */
static struct bytes last_word(struct bytes key)
{
	size_t at;

	key.n -= config_ends(key, "+"); /* of jsonargparse's: one more */
	at = key.n;

	while (at > 0 && key.at[at - 1] != '_' && key.at[at - 1] != '-' && key.at[at - 1] != '.' &&
	       (at == key.n || !(key.at[at] >= 'A' && key.at[at] <= 'Z') ||
		   (key.at[at - 1] >= 'A' && key.at[at - 1] <= 'Z')))
		at--;
	return bytes_of(key.at + at, key.n - at);
}

/* Words, and what they announce: a class may be what is meant by more of them than a function. */
static const struct {
	const char *words;
	uint8_t shapes;
} announced[] = {
	{ "callable callables function functions func funcs fn fns hook hooks callback callbacks wrapper wrappers "
	  "entrypoint import imports sso rules",
	    SHAPE_ANY | SHAPE_CAPITAL },
	{ "class classes cls factory handler handlers plugin plugins loader loaders executor implementation "
	  "constructor "
	  "entry lib logger loggers profiler",
	    SHAPE_CLASS | SHAPE_COLON | SHAPE_FILE | SHAPE_CAPITAL },
	{ "module modules code catalog", SHAPE_CLASS | SHAPE_FILE | SHAPE_CAPITAL },
	{ "serverapp clientapp application", SHAPE_CLASS | SHAPE_COLON | SHAPE_FILE },
	{ "type kind component backend builder strategy uses env model network net optimizer scheduler loss "
	  "criterion metric metrics dataset datamodule transform transforms policy agent tokenizer",
	    SHAPE_CLASS },
};

static uint8_t shapes_of_word(struct bytes word)
{
	uint8_t buf[16];

	if (word.n < 2 || word.n > sizeof(buf))
		return 0;
	for (size_t i = 0; i < word.n; i++)
		buf[i] = word.at[i] | (word.at[i] >= 'A' && word.at[i] <= 'Z' ? 0x20 : 0);
	for (size_t i = 0; i < sizeof(announced) / sizeof(announced[0]); i++)
		if (config_is_word_of(bytes_of(buf, word.n), announced[i].words))
			return announced[i].shapes;
	return 0;
}

/* class_name, moduleName, entry_point, module_path: the word before the last one says what is named. */
static unsigned shapes_of_words(struct bytes key, struct bytes word)
{
	size_t n = key.n - word.n;
	bool path = (word.at[0] | 0x20) == 'p';
	unsigned shapes;

	if (n < 2 && path)
		return SHAPE_CLASS | SHAPE_COLON; /* files of programs have paths, too */
	if (n < 2 || !config_is_word_of(word, "name Name path Path point Point ref str spec"))
		return shapes_of_word(word);
	n -= key.at[n - 1] == '_' || key.at[n - 1] == '-';
	word = last_word(bytes_of(key.at, n));
	shapes = shapes_of_word(word) & ~(unsigned)SHAPE_DOTTED;
	if (!path)
		return shapes;
	if (config_is_word_of(word, "code catalog")) /* that of a run, as its record says */
		return 0;
	if (config_is_word_of(word, "module import func function entry"))
		shapes |= SHAPE_DOTTED;
	return shapes | SHAPE_CLASS | SHAPE_COLON | (config_is_word_of(word, "register") ? SHAPE_FILE : 0);
}

/* -- texts -- */

static bool is_word_byte(uint8_t b)
{
	return b == '_' || (b >= '0' && b <= '9') || ((b | 0x20) >= 'a' && (b | 0x20) <= 'z');
}

static bool is_identifier(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		if (!is_word_byte(b.at[i]))
			return false;
	return b.n > 0 && !(b.at[0] >= '0' && b.at[0] <= '9');
}

static bool is_python_path(struct bytes b)
{
	if (b.n < 4 || (!config_ends(b, ".py") && !config_ends(b, ".pyc") && !config_ends(b, ".pyw")))
		return false;
	for (size_t i = 0; i < b.n; i++)
		if (!is_word_byte(b.at[i]) && memchr("./-\\~", b.at[i], 5) == NULL)
			return false;
	return true;
}

static unsigned shape_of_name(struct bytes text)
{
	const uint8_t *colon = memchr(text.at, ':', text.n);

	if (!config_is_name(text) ||
	    (colon != NULL && memchr(colon + 1, ':', text.n - (size_t)(colon + 1 - text.at)) != NULL))
		return 0;
	if (config_names_class(colon != NULL ? bytes_of(colon + 1, text.n - (size_t)(colon + 1 - text.at)) : text))
		return SHAPE_CLASS;
	if (colon == NULL && config_ends_as_file(text))
		return 0;
	return colon != NULL ? SHAPE_COLON : SHAPE_DOTTED;
}

static unsigned shape_of(struct bytes text)
{
	const uint8_t *mark = memchr(text.at, '.', text.n), *colon;

	if (mark == NULL)
		mark = memchr(text.at, ':', text.n);
	if (mark == NULL || mark == text.at + text.n - 1)
		return 0;
	if (is_python_path(text))
		return SHAPE_FILE;
	colon = memrchr(text.at, ':', text.n);
	if (colon != NULL && is_python_path(bytes_of(text.at, (size_t)(colon - text.at))) &&
	    is_identifier(bytes_of(colon + 1, text.n - (size_t)(colon + 1 - text.at))))
		return SHAPE_PLACE;
	return shape_of_name(text);
}

/* custom_auth, custom_handler: of a program that takes the operator's own. */
static unsigned shapes_of_key(struct bytes key)
{
	struct bytes word = last_word(key);
	unsigned shapes = shapes_of_words(key, word);

	if (config_begins(key, "custom") && key.n > word.n &&
	    (shapes != 0 || config_is_word_of(word, "auth config_module")))
		shapes |= SHAPE_ANY;
	return shapes;
}

/* Packages of Python are written small, and their names begin with no domain: types of other languages, of messages, of files. */
static bool is_of_others(struct bytes text)
{
	return (text.at[0] >= 'A' && text.at[0] <= 'Z') || config_begins(text, "com.") || config_begins(text, "org.") ||
	       config_begins(text, "net.") || config_begins(text, "io.") || config_begins(text, "google.");
}

bool config_shape_is_told(struct bytes key, struct bytes text)
{
	unsigned shape, announces;

	if (text.n < 3 || text.n > CONFIG_NAME_MAX)
		return false;
	shape = shape_of(text);
	if (shape == 0 || shape == SHAPE_PLACE || key.n < 2)
		return shape == SHAPE_PLACE;
	announces = shapes_of_key(key);
	return (announces & shape) != 0 && ((announces & SHAPE_CAPITAL) != 0 || !is_of_others(text));
}

bool config_shape_is_class(struct bytes key, struct bytes text)
{
	unsigned shape = text.n > 2 && text.n <= CONFIG_NAME_MAX ? shape_of(text) : 0;

	return (shape == SHAPE_CLASS || (shape == SHAPE_DOTTED && config_is_word_of(key, "reader writer"))) &&
	       !is_of_others(text);
}

/* -- names -- */

/* Packages whose classes are made of what a configuration gives them, and Java's, which no Python imports. */
static const char vouched[] =
    "=logging.StreamHandler =logging.FileHandler =logging.NullHandler =logging.Formatter =logging.Filter "
    "=logging.handlers.RotatingFileHandler =logging.handlers.TimedRotatingFileHandler "
    "=logging.handlers.QueueHandler "
    "=uvicorn.logging.DefaultFormatter =uvicorn.logging.AccessFormatter =colorlog.ColoredFormatter "
    "torch.* torchvision.* torchaudio.* torchmetrics.* torch_geometric.* nn.* tensorflow.* tf.* keras.* "
    "tf_keras.* "
    "keras_hub.* keras_nlp.* keras_cv.* jax.* flax.* optax.* numpy.* np.* scipy.* pandas.* polars.* "
    "sklearn.* "
    "xgboost.* lightgbm.* "
    "catboost.* statsmodels.* gym.* gymnasium.* stable_baselines3.* sb3_contrib.* rl_zoo3.* transformers.* "
    "sentence_transformers.* "
    "diffusers.* peft.* accelerate.* datasets.* tokenizers.* timm.* lightning.* lerobot.* mmaction.* "
    "mmrotate.* "
    "mmdet3d.* mmcls.* mmyolo.* mmedit.* mmagic.* mmtrack.* mmdeploy.* pytorch_lightning.* lerobot.* "
    "mmaction.* "
    "mmrotate.* mmdet3d.* mmcls.* mmyolo.* mmedit.* mmagic.* mmtrack.* mmdeploy.* monai.* ignite.* nemo.* "
    "megatron.* "
    "speechbrain.* pyannote.* fairseq.* espnet2.* allennlp.* haystack.* haystack_integrations.* "
    "langchain.* "
    "langchain_core.* "
    "langchain_community.* llama_index.* autogen_core.* autogen_agentchat.* autogen_ext.* rasa.* spacy.* "
    "thinc.* "
    "gluonts.* mmcv.* "
    "mmengine.* mmdet.* mmseg.* mmpretrain.* mmpose.* mmocr.* detectron2.* ultralytics.* mlflow.* "
    "bentoml.* mlserver.* "
    "ray.* vllm.* "
    "torchtune.* axolotl.* trl.* open_clip.* xarray.* dask.* networkx.* matplotlib.* plotly.* geopandas.* "
    "pillow.* "
    "json.* yaml.* text.* "
    "partitions.* kedro.* kedro_datasets.* omegaconf.* hydra_plugins.* "
    "org.apache. org.tensorflow. com.microsoft. com.google. com.amazonaws. com.databricks. "
    "com.johnsnowlabs. java. "
    "javax. scala. ml.dmlc. ai.h2o. ai.djl. hex. android. androidx. io.grpc. System. Microsoft. "
    "Newtonsoft. "
    "UnityEngine. Google. Tensorflow. ML. "
    "DOM. ESNext. WebWorker. ES2015. ES2016. ES2017. ES2018. ES2019. ES2020. ES2021. ES2022. ES2023. "
    "ES2024."; /* TypeScript's lib */

/* What is denied for the word at its root alone may be a package of the same name. */
static bool judge_name(struct config *c, uint32_t node)
{
	struct bytes name = c->nodes[node].text;

	if (config_name_is_denied_itself(name)) {
		config_tell(c, WLK_F_CONFIG_TARGET, node);
		return true;
	}
	if (config_standing_of(c, name, vouched, c->nodes[node].at) == CONFIG_NAME_FINE)
		return false;
	config_tell(c, WLK_F_CONFIG_TARGET_UNLISTED, node);
	return true;
}

static struct bytes without_here(struct bytes path)
{
	while (config_begins(path, "./"))
		path = bytes_of(path.at + 2, path.n - 2);
	return path;
}

/* What a call of the file is given, whatever the argument is called: classes take readers, writers and mergers by name, and import them
 * (monai/transforms/io/array.py, inferers/inferer.py; speechbrain/utils/importutils.py). */
static bool is_argument(const struct config *c, uint32_t node)
{
	if (config_in(c, CONFIG_HYPERPYYAML))
		return true;
	for (uint32_t i = c->nodes[node].parent; i != NODE_NONE; i = c->nodes[i].parent)
		if (node_has(&c->nodes[i], KEY_TARGET_) || node_has(&c->nodes[i], KEY_COMPONENT_) ||
		    config_is_word_of(c->nodes[i].name, "init_args"))
			return true;
	return false;
}

bool judge_shape(struct config *c, uint32_t node)
{
	const struct config_node *n = &c->nodes[node];
	struct bytes text = n->text;
	unsigned shape;

	if (n->type != CONFIG_TEXT || (n->why & NODE_PROSE) != 0 ||
	    ((n->why & NODE_SHAPE) == 0 && ((n->why & NODE_CLASS) == 0 || !is_argument(c, node))))
		return false;
	shape = shape_of(text);
	if (shape == SHAPE_PLACE)
		text.n = (size_t)((const uint8_t *)memrchr(text.at, ':', text.n) - text.at);
	if (shape != SHAPE_FILE && shape != SHAPE_PLACE)
		return judge_name(c, node);
	config_local_code(c, without_here(text), node);
	return true;
}
