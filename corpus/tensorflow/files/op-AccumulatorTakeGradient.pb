è
"serve*2.11.0|
3
xAccumulatorTakeGradientin7in3*
dtype0

in3Placeholder*
dtype0

in7Placeholder*
dtype0"ø