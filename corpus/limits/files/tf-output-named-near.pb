¶
"serveª

xPlaceholder*
dtype0ƒ
€
#
f
a
in1
in3
r.
sSplitin3in1*
	num_split*
T0
nNeg
s:output:1*
T0"

rn:y:0"¿