á
"serve*2.11.0Í

xPlaceholder*
dtype0
…
sFixedUnigramCandidateSamplerin9*/etc/passwd

vocab_file*
num_true*
num_sampled*
unique(*
	range_max

in9Placeholder*
dtype0	"¿