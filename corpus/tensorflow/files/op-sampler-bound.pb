Ç
"serve*2.11.0³

xPlaceholder*
dtype0Œ
‰

f
a}
nFixedUnigramCandidateSamplera*

vocab_fileJwhich*
num_true*
num_sampled*
unique(*
	range_max"¿