{{/* The proxies in the pod of api-gateway. They are the only ones that may name a user: TARSY_TRUSTED_PROXIES is loopback. */}}
{{- define "tarsy.proxies" -}}
{{- if .Values.oauth2Proxy.enabled }}
- name: oauth2-proxy
  image: {{ .Values.oauth2Proxy.image }}
  args: [--config=/etc/oauth2-proxy/oauth2-proxy.cfg]
  ports:
    - name: web
      containerPort: 4180
  env:
    {{- $secret := .Values.oauth2Proxy.secret }}
    {{- range $variable, $key := dict "OAUTH2_PROXY_CLIENT_ID" "client-id" "OAUTH2_PROXY_CLIENT_SECRET" "client-secret" "OAUTH2_PROXY_COOKIE_SECRET" "cookie-secret" }}
    {{- include "tarsy.secretEnv" (dict "name" $variable "secret" $secret "key" $key) | nindent 4 }}
    {{- end }}
  startupProbe:
    httpGet:
      path: /ping
      port: web
    periodSeconds: 2
    failureThreshold: 60
  livenessProbe:
    httpGet:
      path: /ping
      port: web
  readinessProbe:
    httpGet:
      path: /ready
      port: web
    periodSeconds: 5
  securityContext:
    {{- include "tarsy.containerSecurityContext" . | nindent 4 }}
  resources:
    {{- toYaml .Values.oauth2Proxy.resources | nindent 4 }}
  volumeMounts:
    - name: oauth2-proxy
      mountPath: /etc/oauth2-proxy
      readOnly: true
{{- end }}
{{- if .Values.kubeRbacProxy.enabled }}
- name: kube-rbac-proxy
  image: {{ .Values.kubeRbacProxy.image }}
  args:
    - --secure-listen-address=0.0.0.0:8443
    - --proxy-endpoints-port=8444
    - --upstream=http://127.0.0.1:8080/
    - --auth-header-fields-enabled=true
    # As api-gateway reads them: system.access.proxy.
    - --auth-header-user-field-name=X-Forwarded-User
    - --auth-header-groups-field-name=X-Forwarded-Groups
    - --auth-header-groups-field-separator=,
    {{- if include "tarsy.apiCertificate" . }}
    - --tls-cert-file=/etc/tls/tls.crt
    - --tls-private-key-file=/etc/tls/tls.key
    {{- end }}
  ports:
    - name: api
      containerPort: 8443
    - name: proxy-health
      containerPort: 8444
  startupProbe:
    httpGet:
      path: /healthz
      port: proxy-health
      scheme: HTTPS
    periodSeconds: 2
    failureThreshold: 60
  livenessProbe:
    httpGet:
      path: /healthz
      port: proxy-health
      scheme: HTTPS
  readinessProbe:
    tcpSocket:
      port: api
    periodSeconds: 5
  securityContext:
    {{- include "tarsy.containerSecurityContext" . | nindent 4 }}
  resources:
    {{- toYaml .Values.kubeRbacProxy.resources | nindent 4 }}
  volumeMounts:
    # Only this container has a token of the service account.
    - name: service-account
      mountPath: /var/run/secrets/kubernetes.io/serviceaccount
      readOnly: true
    {{- if include "tarsy.apiCertificate" . }}
    - name: api-tls
      mountPath: /etc/tls
      readOnly: true
    {{- end }}
{{- end }}
{{- end }}

{{/* The secret with the certificate of kube-rbac-proxy, if there is one. */}}
{{- define "tarsy.apiCertificate" -}}
{{- .Values.kubeRbacProxy.tlsSecret | default (ternary "tarsy-api-tls" "" .Values.openshift) }}
{{- end }}

{{- define "tarsy.proxyVolumes" -}}
{{- if .Values.oauth2Proxy.enabled }}
- name: oauth2-proxy
  configMap:
    name: oauth2-proxy
{{- end }}
{{- if .Values.kubeRbacProxy.enabled }}
- name: service-account
  projected:
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: 3600
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
      - downwardAPI:
          items:
            - path: namespace
              fieldRef:
                fieldPath: metadata.namespace
{{- with include "tarsy.apiCertificate" . }}
- name: api-tls
  secret:
    secretName: {{ . }}
{{- end }}
{{- end }}
{{- end }}
