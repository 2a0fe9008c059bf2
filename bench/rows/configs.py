"""Row 18: all that is done to a config.json of 5 KB: strict JSON, keys that come twice, and what its keys and values ask for."""
import json

from measure import Row, json_lines

FILE_BYTES = 5 * 1024
DEMAND_US = 10


def part(name, more):
    """The keys that transformers writes for one of a model's parts."""
    return {"_name_or_path": "", "add_cross_attention": False, "architectures": None, "bad_words_ids": None, "begin_suppress_tokens": None,
            "bos_token_id": 151643, "chunk_size_feed_forward": 0, "diversity_penalty": 0.0, "eos_token_id": 151645,
            "hidden_act": "silu", "hidden_size": 3584, "id2label": {"0": "LABEL_0", "1": "LABEL_1"}, "initializer_range": 0.02,
            "intermediate_size": 18944, "is_decoder": False, "label2id": {"LABEL_0": 0, "LABEL_1": 1}, "length_penalty": 1.0,
            "max_position_embeddings": 32768, "model_type": name, "no_repeat_ngram_size": 0, "num_attention_heads": 28,
            "num_hidden_layers": 28, "problem_type": None, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0,
            "tie_word_embeddings": False, "torch_dtype": "bfloat16", "use_cache": True, **more}


def write_config(path):
    config = {"architectures": ["OwnForConditionalGeneration"], "transformers_version": "4.52.0",
              **part("own_vl", {"text_config": part("own_vl_text", {"layer_types": ["full_attention"] * 28,
                                                                    "rope_scaling": {"mrope_section": [16, 24, 24], "type": "default"}}),
                                "vision_config": part("own_vl_vision", {"fullatt_block_indexes": [7, 15, 23, 31], "patch_size": 14})})}
    text = json.dumps(config, indent=2)
    with open(path, "w", encoding="ascii") as f:
        f.write(text[:-2] + " " * (FILE_BYTES - len(text) - 1) + "\n}\n")


def judging(bench):
    path = bench.path("config.json")
    write_config(path)
    turns = json_lines([bench.program("bench", "bench_config"), path, str(bench.size(25, 1))])
    yield Row(18, "judge a config.json of 5 KB", [min(t["all"] for t in turns)], unit="us", demand=DEMAND_US,
              detail={"us": [t["all"] for t in turns]})
