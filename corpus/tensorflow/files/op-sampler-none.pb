Ù
"serve*2.11.0Å

xPlaceholder*
dtype0
~
sFixedUnigramCandidateSamplerin9*
_class

loc:@w*
num_true*
num_sampled*
unique(*
	range_max

in9Placeholder*
dtype0	"¿