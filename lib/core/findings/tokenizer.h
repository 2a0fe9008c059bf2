/* Findings of tokenizers: tokenizer.json, SentencePiece's .model and GGUF's copy of its charsmap; regular expressions of any
 * configuration.  Formats/configs, section 4. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_TOKENIZER(X)                                                                                      \
	X(TOKENIZER_ID_RANGE, "tokenizer-id-range", MALFORMED, HIGH,                                                   \
	  "an id of a token is no number from 0 to 2^31-2, or of no token",                                            \
	  "Readers index arrays by it, or allocate as many entries; a larger or negative one leaves memory they own.", \
	  "Number the tokens from 0 on.",                                                                              \
	  "formats/configs, section 4")                                                                                \
	X(TOKENIZER_ID_SPARSE, "tokenizer-id-sparse", QUALITY, MEDIUM,                                                 \
	  "an id of a token is far above the number of tokens",                                                        \
	  "Readers allocate an array as long as the largest id: one word can take gigabytes.",                         \
	  "Number the tokens without large gaps.",                                                                     \
	  "formats/configs, section 4")                                                                                \
	X(TOKENIZER_ID_SHARED, "tokenizer-id-shared", AMBIGUOUS, MEDIUM,                                               \
	  "two added tokens have one id, or one text",                                                                 \
	  "Which of them a text becomes, or an id is printed as, depends on the reader.",                              \
	  "Give each added token an id and a text of its own.",                                                        \
	  "formats/configs, section 4")                                                                                \
	X(TOKENIZER_CHARSMAP, "tokenizer-charsmap", MALFORMED, HIGH,                                                   \
	  "a precompiled_charsmap leads out of itself",                                                                \
	  "Loaders follow its trie without asking: they end, read memory beyond it, or reserve what its first number says.", \
	  "Copy the map from the SentencePiece model again.",                                                          \
	  "formats/configs, section 4")                                                                                \
	X(TOKENIZER_AFFIX, "tokenizer-affix", MALFORMED, HIGH,                                                         \
	  "a merge does not fit the vocabulary or continuing_subword_prefix",                                          \
	  "The loader subtracts lengths and cuts text by them without asking.",                                        \
	  "Write merges of two known words, the second beginning with the prefix.",                                    \
	  "formats/configs, section 4")                                                                                \
	X(TOKENIZER_TEMPLATE, "tokenizer-template", MALFORMED, HIGH,                                                   \
	  "a template names what it does not define",                                                                  \
	  "The loader takes special tokens out of its table, and a second text, without asking whether they are there.", \
	  "Define every special token of the template, with as many ids as tokens, and use the second sequence in pair only.", \
	  "formats/configs, section 4")                                                                                \
	X(TOKENIZER_SIZE, "tokenizer-size", QUALITY, MEDIUM,                                                           \
	  "a number in a tokenizer is beyond any use",                                                                 \
	  "The program that uses the tokenizer ends, or takes memory and time for it.",                                \
	  "Use a stride below the length of a text, and modest lengths and depths.",                                   \
	  "formats/configs, section 4")                                                                                \
	X(TOKENIZER_STRUCTURE, "tokenizer-structure", UNSUPPORTED, MEDIUM,                                             \
	  "a tokenizer has a part that its library does not know",                                                     \
	  "What it does with a text was not judged.",                                                                  \
	  "Save the tokenizer with the library tokenizers.",                                                           \
	  "formats/configs, section 4")                                                                                \
	X(TOKENIZER_REGEX, "tokenizer-regex", QUALITY, MEDIUM,                                                         \
	  "a regular expression may take exponential time, or is not understood",                                      \
	  "The program that uses it tries every way to divide a text: a line of it can take years.",                   \
	  "Write loops whose rounds cannot be divided in two ways, without back references and large counts.",         \
	  "formats/configs, section 4")
/* clang-format on */
