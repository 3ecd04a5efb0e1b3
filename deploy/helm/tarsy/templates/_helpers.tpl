{{- define "tarsy.labels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/part-of: tarsy
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* metadata of an object: root, name */}}
{{- define "tarsy.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "tarsy.labels" . | nindent 2 }}
{{- end }}

{{/* root, image: one of .Values.images */}}
{{- define "tarsy.image" -}}
{{- $images := .root.Values.images -}}
{{- $repository := printf "%s/%s" $images.registry .image.repository -}}
{{- if .image.digest -}}
{{ printf "%s@%s" $repository .image.digest }}
{{- else -}}
{{ printf "%s:%s" $repository (default .root.Chart.AppVersion $images.tag) }}
{{- end -}}
{{- end }}

{{- define "tarsy.podSecurityContext" -}}
runAsNonRoot: true
{{- if not .root.Values.openshift }}
runAsUser: {{ .root.Values.podSecurity.runAsUser }}
runAsGroup: {{ .root.Values.podSecurity.runAsGroup }}
{{- if .volumes }}
fsGroup: {{ .root.Values.podSecurity.fsGroup }}
{{- end }}
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "tarsy.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* root, name */}}
{{- define "tarsy.topologySpread" -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      app.kubernetes.io/name: {{ $.name }}
{{- end }}
{{- end }}

{{/* A variable from a key of a secret: name, secret, key, optional */}}
{{- define "tarsy.secretEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end }}

{{/* DATABASE_URL of a service: root, service */}}
{{- define "tarsy.databaseEnv" -}}
{{- $values := .root.Values.postgresql }}
{{- if eq $values.mode "external" }}
{{- $key := ternary "database-url" (printf "database-url-%s" .service) (eq .service "owner") }}
{{- include "tarsy.secretEnv" (dict "name" "DATABASE_URL" "secret" .root.Values.secrets.main "key" $key) }}
{{- else }}
{{- $role := ternary "tarsy" (printf "tarsy_%s" (.service | replace "-" "_")) (eq .service "owner") }}
{{- include "tarsy.secretEnv" (dict "name" "DATABASE_PASSWORD" "secret" (printf "%s%s" $values.cloudnativePg.secretPrefix .service) "key" "password") }}
- name: DATABASE_URL
  value: postgres://{{ $role }}:$(DATABASE_PASSWORD)@postgres-rw:5432/tarsy?sslmode=verify-full&sslrootcert=/run/postgres-ca/ca.crt
{{- end }}
{{- end }}

{{/* NATS_URL of a user: root, service */}}
{{- define "tarsy.natsEnv" -}}
{{- $values := .root.Values.nats }}
{{- include "tarsy.secretEnv" (dict "name" "NATS_PASSWORD" "secret" .root.Values.secrets.main "key" (printf "nats-%s-password" .service)) }}
- name: NATS_URL
  {{- $hosts := list "nats:4222" }}
  {{- if eq $values.mode "external" }}
  {{- $hosts = $values.external.hosts }}
  {{- else if gt (int $values.replicas) 1 }}
  {{- $hosts = list }}
  {{- range $index := until (int $values.replicas) }}
  {{- $hosts = append $hosts (printf "nats-%d.nats:4222" $index) }}
  {{- end }}
  {{- end }}
  {{- $scheme := ternary "tls" "nats" (and (eq $values.mode "external") $values.external.tls) }}
  value: {{ $scheme }}://{{ .service }}:$(NATS_PASSWORD)@{{ join (printf ",%s://" $scheme) $hosts }}
{{- end }}

{{/* What callers of llm-service need: root */}}
{{- define "tarsy.llmEnv" -}}
- name: LLM_SERVICE_ADDR
  value: http://llm-service:50051
{{ include "tarsy.secretEnv" (dict "name" "LLM_SERVICE_TOKEN" "secret" .root.Values.secrets.main "key" "llm-service-token") }}
{{- end }}

{{- define "tarsy.relayEnv" -}}
{{ include "tarsy.secretEnv" (dict "name" "TARSY_RELAY_TOKEN" "secret" .root.Values.secrets.main "key" "relay-token") }}
{{- end }}

{{- define "tarsy.adminProbes" -}}
startupProbe:
  {{- if .http }}
  tcpSocket:
    port: http
  {{- else }}
  httpGet:
    path: /livez
    port: admin
  {{- end }}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet:
    path: /livez
    port: admin
readinessProbe:
  httpGet:
    path: /readyz
    port: admin
  periodSeconds: 5
{{- end }}

{{/*
A Deployment of one service: root, name, image, and what differs: args, env (text), envFrom (list), http (the HTTP port is served),
config (the configuration is mounted), settings (the common settings), database, tmp (size of /tmp), probes (text), ports (list),
grace (seconds), serviceAccount, token (its token is mounted), sidecars and volumes (text).
*/}}
{{- define "tarsy.deployment" -}}
{{- $values := index .root.Values.services .name }}
{{- $scaling := index .root.Values.autoscaling .name | default dict }}
{{- $ca := and .database (eq .root.Values.postgresql.mode "cloudnative-pg") }}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "tarsy.metadata" . | nindent 2 }}
spec:
  {{- if eq ($scaling.kind | default "none") "none" }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ .name }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  template:
    metadata:
      labels:
        {{- include "tarsy.labels" . | nindent 8 }}
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "9090"
        prometheus.io/path: /metrics
        {{- if .config }}
        checksum/config: {{ list .root.Values.config .root.Values.settings .root.Values.otlpEndpoint | toJson | sha256sum }}
        {{- end }}
        {{- if .sidecars }}
        kubectl.kubernetes.io/default-container: {{ .name }}
        {{- end }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      # Without this Kubernetes adds a variable for every service of the namespace; one that begins with TARSY_
      # and is not a setting stops the start.
      enableServiceLinks: false
      {{- with .serviceAccount }}
      serviceAccountName: {{ . }}
      {{- end }}
      {{- if not .token }}
      automountServiceAccountToken: false
      {{- end }}
      {{- with .root.Values.images.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      {{- with .grace }}
      terminationGracePeriodSeconds: {{ . }}
      {{- end }}
      securityContext:
        {{- include "tarsy.podSecurityContext" (dict "root" .root "volumes" false) | nindent 8 }}
      {{- if gt (int $values.replicas) 1 }}
      topologySpreadConstraints:
        {{- include "tarsy.topologySpread" . | trim | nindent 8 }}
      {{- end }}
      {{- range $key := list "nodeSelector" "tolerations" "affinity" }}
      {{- with index $values $key }}
      {{ $key }}:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- end }}
      {{- with $values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      containers:
        - name: {{ .name }}
          image: {{ include "tarsy.image" . }}
          imagePullPolicy: {{ .root.Values.images.pullPolicy }}
          {{- with .args }}
          args: {{ toJson . }}
          {{- end }}
          ports:
            {{- range .ports }}
            - name: {{ .name }}
              containerPort: {{ .port }}
            {{- end }}
            - name: admin
              containerPort: 9090
          {{- $envFrom := .envFrom | default list }}
          {{- if or .settings $envFrom $values.envFrom }}
          envFrom:
            {{- if .settings }}
            - configMapRef:
                name: tarsy-settings
            {{- end }}
            {{- range $envFrom }}
            - secretRef:
                name: {{ . }}
                optional: true
            {{- end }}
            {{- with $values.envFrom }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          {{- end }}
          env:
            {{- .env | trim | nindent 12 }}
            {{- range $name, $value := $values.env }}
            - name: {{ $name }}
              value: {{ $value | quote }}
            {{- end }}
          {{- .probes | default (include "tarsy.adminProbes" .) | nindent 10 }}
          securityContext:
            {{- include "tarsy.containerSecurityContext" . | nindent 12 }}
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          {{- if or .config .tmp $ca $values.volumeMounts }}
          volumeMounts:
            {{- if .config }}
            - name: config
              mountPath: /etc/tarsy
              readOnly: true
            {{- end }}
            {{- if .tmp }}
            - name: tmp
              mountPath: /tmp
            {{- end }}
            {{- if $ca }}
            - name: postgres-ca
              mountPath: /run/postgres-ca
              readOnly: true
            {{- end }}
            {{- with $values.volumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          {{- end }}
        {{- with .sidecars }}
        {{- . | trim | nindent 8 }}
        {{- end }}
      {{- if or .config .tmp $ca $values.volumes .volumes }}
      volumes:
        {{- if .config }}
        - name: config
          configMap:
            name: tarsy-config
        {{- end }}
        {{- with .tmp }}
        - name: tmp
          emptyDir:
            sizeLimit: {{ . }}
        {{- end }}
        {{- if $ca }}
        {{- include "tarsy.caVolume" . | nindent 8 }}
        {{- end }}
        {{- with .volumes }}
        {{- . | trim | nindent 8 }}
        {{- end }}
        {{- with $values.volumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
{{- end }}

{{- define "tarsy.caVolume" -}}
- name: postgres-ca
  secret:
    secretName: postgres-ca
    items:
      - key: ca.crt
        path: ca.crt
{{- end }}
