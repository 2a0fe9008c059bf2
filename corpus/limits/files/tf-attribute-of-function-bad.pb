˜
"serveŒ

xPlaceholder*
dtype0
>
yPartitionedCallx*
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