¥
"serve™

xPlaceholder*
dtype0
K
yPartitionedCallx*
Tin
0*
Tout
0*
fR
f
Tin
0&
$

f
xPlaceholder*
dtype0"¿