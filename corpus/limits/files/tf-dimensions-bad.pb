ù
"serveë
H
itReverseSequencein1in9*
seq_dim*
	batch_dim*
T0

in1Placeholder*
dtype0

in9Placeholder*
dtype0	"ø