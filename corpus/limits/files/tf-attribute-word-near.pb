}
"server
J
itConv2Din1in1*
strides

*
paddingVALID*
T0

in1Placeholder*
dtype0"¿