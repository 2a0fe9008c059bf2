{
"servep

xPlaceholder*
dtype0

yAddV2x;
9

AddV2
a
r
nNega*
T0"

rn:y:0"¿