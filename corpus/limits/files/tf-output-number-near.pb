õ
"serveè
.
sSplitin3in1*
	num_split*
T0

yNegs:1*
T0

in1Placeholder*
dtype0

in3Placeholder*
dtype0"ø