{{- define "name" -}}
{{- .Values.name -}}
{{- end }}