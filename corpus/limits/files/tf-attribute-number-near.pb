ƒ
"servex
/
itSplitin3in7*
	num_split*
T0

in3Placeholder*
dtype0

in7Placeholder*
dtype0"¿