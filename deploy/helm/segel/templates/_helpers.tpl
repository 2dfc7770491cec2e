{{- define "segel.name" -}}
{{- if contains "segel" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-segel{{ end }}
{{- end }}

{{- define "segel.selector" -}}
app.kubernetes.io/name: segel
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "segel.labels" -}}
{{ include "segel.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "-" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: segel-{{ .Chart.Version | replace "+" "-" }}
{{- end }}

{{- define "segel.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default (.Chart.AppVersion | replace "+" "-") }}
{{- end }}
{{- end }}

{{- /* The environment of every container. What follows from other values, and what the chart relies on, cannot be set twice. */}}
{{- define "segel.environment" -}}
- name: SEGEL_DATABASE
  valueFrom: {secretKeyRef: {name: {{ .Values.database.existingSecret | quote }}, key: {{ .Values.database.key | quote }}}}
- name: SEGEL_MASTER_KEY
  valueFrom: {secretKeyRef: {name: {{ .Values.masterKey.existingSecret | quote }}, key: {{ .Values.masterKey.key | quote }}}}
- name: SEGEL_S3_ACCESS_KEY
  valueFrom: {secretKeyRef: {name: {{ .Values.s3.existingSecret | quote }}, key: {{ .Values.s3.accessKeyKey | quote }}}}
- name: SEGEL_S3_SECRET_KEY
  valueFrom: {secretKeyRef: {name: {{ .Values.s3.existingSecret | quote }}, key: {{ .Values.s3.secretKeyKey | quote }}}}
{{- if .Values.podMonitor.existingSecret }}
- name: SEGEL_METRICS_TOKEN
  valueFrom: {secretKeyRef: {name: {{ .Values.podMonitor.existingSecret | quote }}, key: {{ .Values.podMonitor.key | quote }}}}
{{- end }}
{{- range $name, $from := .Values.secretSettings }}
- name: {{ $name }}
  valueFrom: {secretKeyRef: {name: {{ $from.existingSecret | quote }}, key: {{ $from.key | quote }}}}
{{- end }}
- {name: SEGEL_DATA_DIR, value: /data}
- {name: SEGEL_LISTEN, value: ":8080"}
- {name: SEGEL_STATE, value: database}
- {name: SEGEL_MIGRATE, value: "off"}
- {name: SEGEL_BLOBS, value: s3}
- {name: SEGEL_S3_ENDPOINT, value: {{ .Values.s3.endpoint | quote }}}
- {name: SEGEL_S3_BUCKET, value: {{ .Values.s3.bucket | quote }}}
- {name: SEGEL_S3_REGION, value: {{ .Values.s3.region | quote }}}
- {name: SEGEL_S3_PREFIX, value: {{ .Values.s3.prefix | quote }}}
- {name: SEGEL_CONVERT, value: {{ .Values.convert | quote }}}
- {name: SEGEL_PAGE_PICTURES, value: "off"}
- {name: SEGEL_PUBLIC_URL, value: {{ .Values.publicURL | quote }}}
- {name: SEGEL_TRUSTED_PROXIES, value: {{ join "," .Values.trustedProxies | quote }}}
- {name: SEGEL_OUTBOUND_PRIVATE, value: {{ join "," .Values.outboundPrivate | quote }}}
- {name: SEGEL_DRAIN_WAIT, value: "{{ .Values.drainSeconds }}s"}
- {name: SEGEL_SHUTDOWN_WAIT, value: "{{ .Values.shutdownSeconds }}s"}
{{- range $name, $value := .Values.settings }}
- {name: {{ $name }}, value: {{ $value | toString | quote }}}
{{- end }}
{{- end }}

{{- define "segel.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "segel.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "segel.volumes" -}}
- {name: data, emptyDir: {sizeLimit: {{ .Values.temporarySpace }}}}
- {name: tmp, emptyDir: {sizeLimit: {{ .Values.temporarySpace }}}}
{{- end }}

{{- define "segel.mounts" -}}
- {name: data, mountPath: /data}
- {name: tmp, mountPath: /tmp}
{{- end }}
