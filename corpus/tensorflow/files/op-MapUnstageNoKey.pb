d
"serve*2.11.0Q
)
xMapUnstageNoKeyin3*
dtypes
0

in3Placeholder*
dtype0"¿