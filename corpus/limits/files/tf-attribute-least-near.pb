„
"servey
Q
itMaxPoolin1*
strides

*
ksize

*
paddingSAME

in1Placeholder*
dtype0"¿