

x	WriteFile"¿