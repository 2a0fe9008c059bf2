B
"serve*2.11.0/
(
xPartitionedCall*
fR
	WriteFile"¿