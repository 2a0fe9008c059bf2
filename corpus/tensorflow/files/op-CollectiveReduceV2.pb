¶
"serve*2.11.0¢
Y
xCollectiveReduceV2in1in3in3in3*
T0*
merge_opMin*
final_opId

in1Placeholder*
dtype0

in3Placeholder*
dtype0"¿