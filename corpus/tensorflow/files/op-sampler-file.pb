á
"serve*2.11.0Í

xPlaceholder*
dtype0
…
sFixedUnigramCandidateSamplerin9*

vocab_file/etc/passwd*
num_true*
num_sampled*
unique(*
	range_max

in9Placeholder*
dtype0	"¿