{{- define "partner-api.labels" -}}
app.kubernetes.io/name: partner-api
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "partner-api.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
  readOnlyRootFilesystem: true
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "partner-api.settings" -}}
envFrom:
  - secretRef: { name: {{ .Values.secretName | quote }} }
env:
  - { name: MIGRATE_ON_START, value: "false" }
  {{- range $name, $value := .Values.env }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
{{- end }}

{{- define "partner-api.probes" -}}
ports:
  - { name: management, containerPort: 9464 }
startupProbe:
  httpGet: { path: /livez, port: management }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: management }
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: management }
  periodSeconds: 2
  timeoutSeconds: 5
{{- end }}

{{- define "partner-api.pod" -}}
automountServiceAccountToken: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
volumes:
  - { name: data, emptyDir: {} }
  - { name: tmp, emptyDir: {} }
{{- end }}
