// The modules of operators whose custom resource definitions the tests of the chart use: only their YAML is taken, and nothing is compiled.
module tarsy/tools/operator-crds

go 1.26.0

require (
	github.com/external-secrets/external-secrets v0.16.2
	github.com/kedacore/keda/v2 v2.21.0
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
