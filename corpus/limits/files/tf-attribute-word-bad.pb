|
"serveq
I
itConv2Din1in1*
strides

*
paddingNONE*
T0

in1Placeholder*
dtype0"¿