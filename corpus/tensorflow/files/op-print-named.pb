w
"serve*2.11.0d

xPlaceholder
K
cPartitionedCallx*2
f-R+
PrintV2 
output_streamfile:///tmp/x"¿