è
"serve*2.11.0|
2
xExperimentalDatasetToTFRecordin21in7in7

in7Placeholder*
dtype0
 
in21Placeholder*
dtype0"ø