{{/*
The name of the chart.
*/}}
{{- define "a.name" -}}
a
{{- end }}
