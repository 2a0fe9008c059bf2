á
"serve*2.11.0Í

xPlaceholder*
dtype0¦
£

f
file4
tHashTableV2*
	key_dtype0*
value_dtype0^
iInitializeTableFromTextFileV2t:table_handle:0file*
	key_index*
value_index"¿