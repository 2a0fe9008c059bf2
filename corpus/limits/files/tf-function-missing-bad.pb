¬
"serve 

xPlaceholder*
dtype0
A
yPartitionedCallx*
Tin
0*
Tout
0*
fR
nope7
5

f
a
r
nNega*
T0"

rn:y:0"¿