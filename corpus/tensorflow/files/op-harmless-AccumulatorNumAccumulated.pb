^
"serve*2.11.0K
#
xAccumulatorNumAccumulatedin7

in7Placeholder*
dtype0"¿