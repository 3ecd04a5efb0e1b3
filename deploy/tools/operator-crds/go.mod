// The modules of operators whose custom resource definitions the tests of the chart use: only their YAML is taken, and nothing is compiled.
module tarsy/tools/operator-crds

go 1.26.0

require (
	github.com/cloudnative-pg/cloudnative-pg v1.30.0
	github.com/external-secrets/external-secrets v0.16.2
	github.com/kedacore/keda/v2 v2.21.0
	// No version of it has a number: the one that operators of OpenShift itself require.
	github.com/openshift/api v0.0.0-20260213204242-d34f11c515b3
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
