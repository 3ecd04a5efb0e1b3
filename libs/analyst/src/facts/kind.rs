//! The kinds of objects, by the many ways in which they are written.

/// Canonical kind, as people write it, other spellings.
const KINDS: &[(&str, &str, &[&str])] = &[
    ("pod", "Pod", &["pods", "po"]),
    ("deployment", "Deployment", &["deployments", "deploy"]),
    ("statefulset", "StatefulSet", &["statefulsets", "sts"]),
    ("daemonset", "DaemonSet", &["daemonsets", "ds"]),
    ("replicaset", "ReplicaSet", &["replicasets", "rs"]),
    ("service", "Service", &["services", "svc"]),
    ("endpoints", "Endpoints", &["endpoint", "ep", "endpointslice", "endpointslices"]),
    ("node", "Node", &["nodes", "no"]),
    ("namespace", "Namespace", &["namespaces", "ns"]),
    ("event", "Event", &["events", "ev"]),
    ("persistentvolumeclaim", "PersistentVolumeClaim", &["persistentvolumeclaims", "pvc", "pvcs"]),
    ("persistentvolume", "PersistentVolume", &["persistentvolumes", "pv"]),
    ("storageclass", "StorageClass", &["storageclasses", "sc"]),
    ("configmap", "ConfigMap", &["configmaps", "cm"]),
    ("secret", "Secret", &["secrets"]),
    ("networkpolicy", "NetworkPolicy", &["networkpolicies", "netpol"]),
    ("resourcequota", "ResourceQuota", &["resourcequotas", "quota"]),
    ("limitrange", "LimitRange", &["limitranges", "limits"]),
    ("ingress", "Ingress", &["ingresses", "ing"]),
    ("ingressclass", "IngressClass", &["ingressclasses"]),
    ("poddisruptionbudget", "PodDisruptionBudget", &["poddisruptionbudgets", "pdb"]),
    ("horizontalpodautoscaler", "HorizontalPodAutoscaler", &["horizontalpodautoscalers", "hpa"]),
    ("job", "Job", &["jobs"]),
    ("cronjob", "CronJob", &["cronjobs", "cj"]),
    ("serviceaccount", "ServiceAccount", &["serviceaccounts", "sa"]),
    ("certificate", "Certificate", &["certificates"]),
    ("networkchaos", "NetworkChaos", &[]),
    ("podchaos", "PodChaos", &[]),
    ("stresschaos", "StressChaos", &[]),
    ("iochaos", "IOChaos", &[]),
    ("timechaos", "TimeChaos", &[]),
    ("dnschaos", "DNSChaos", &[]),
    ("httpchaos", "HTTPChaos", &[]),
    ("jvmchaos", "JVMChaos", &[]),
    ("schedule", "Schedule", &["schedules"]),
    ("authorizationpolicy", "AuthorizationPolicy", &["authorizationpolicies"]),
    ("peerauthentication", "PeerAuthentication", &["peerauthentications"]),
    ("virtualservice", "VirtualService", &["virtualservices"]),
    ("destinationrule", "DestinationRule", &["destinationrules"]),
];

/// The kind in small letters and singular, if it is known: `deployments.apps` is `deployment`.
pub(crate) fn canonical_kind(word: &str) -> Option<&'static str> {
    let word = word.split('.').next().unwrap_or(word).to_ascii_lowercase();
    KINDS
        .iter()
        .find(|(kind, _, others)| *kind == word || others.contains(&word.as_str()))
        .map(|(kind, ..)| *kind)
}

/// The kind as people write it.
pub(crate) fn shown_kind(kind: &str) -> &str {
    KINDS.iter().find(|(known, ..)| *known == kind).map_or(kind, |(_, shown, _)| shown)
}

/// The kind of the rows below a heading of a table.
pub(super) fn kind_of_heading(heading: &str) -> Option<&'static str> {
    let has = |word: &str| heading.contains(word);
    let columns: Vec<&str> = heading.split_whitespace().collect();
    Some(match () {
        () if has("REASON") && (has("OBJECT") || has("LAST SEEN")) && has("MESSAGE") => "event",
        () if has("CPU(cores)") => "usage",
        () if has("RESTARTS") && has("STATUS") => "pod",
        () if has("UP-TO-DATE") && has("DESIRED") => "daemonset",
        () if has("UP-TO-DATE") => "deployment",
        () if has("NODE SELECTOR") => "daemonset",
        () if has("CLUSTER-IP") => "service",
        () if has("ENDPOINTS") => "endpoints",
        () if has("ROLES") && has("VERSION") => "node",
        () if has("RECLAIM POLICY") => "persistentvolume",
        () if has("VOLUME") && has("CAPACITY") => "persistentvolumeclaim",
        () if has("PROVISIONER") => "storageclass",
        () if has("CONTROLLER") && has("PARAMETERS") => "ingressclass",
        () if has("ALLOWED DISRUPTIONS") => "poddisruptionbudget",
        () if has("POD-SELECTOR") => "networkpolicy",
        () if has("REFERENCE") && has("TARGETS") => "horizontalpodautoscaler",
        () if has("COMPLETIONS") => "job",
        () if has("SCHEDULE") && has("SUSPEND") => "cronjob",
        () if has("HOSTS") => "ingress",
        () if has("REQUEST") && has("NAME") => "resourcequota",
        () if has("DESIRED") && has("CURRENT") => "replicaset",
        () if has("DATA") && has("AGE") && has("TYPE") => "secret",
        () if has("DATA") && has("AGE") => "configmap",
        () if has("ACTION") && has("DURATION") => "chaos",
        () if columns.contains(&"READY") && columns.contains(&"AGE") => "statefulset",
        () => return None,
    })
}

/// The kind of a description, by a field that only this kind has.
pub(super) fn kind_of_field(field: &str) -> Option<&'static str> {
    Some(match field {
        "Controlled By" | "QoS Class" | "Node-Selectors" | "Start Time" => "pod",
        "StrategyType" | "RollingUpdateStrategy" | "NewReplicaSet" | "OldReplicaSets" => {
            "deployment"
        }
        "Session Affinity" | "TargetPort" | "IP Families" => "service",
        "Subsets" => "endpoints",
        "Roles" | "Unschedulable" | "ProviderID" => "node",
        "Used By" | "Access Modes" => "persistentvolumeclaim",
        "Reclaim Policy" => "persistentvolume",
        "PodSelector" | "Policy Types" => "networkpolicy",
        "Ingress Class" | "Default backend" => "ingress",
        "Desired Number of Nodes Scheduled" => "daemonset",
        "Update Strategy" => "statefulset",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_many_spellings() {
        for word in ["deploy", "Deployment", "deployments.apps"] {
            assert_eq!(canonical_kind(word), Some("deployment"));
        }
        assert_eq!(canonical_kind("giraffe"), None);
    }

    #[test]
    fn a_heading_names_the_kind_of_its_rows() {
        let pods = "NAME   READY   STATUS   RESTARTS   AGE";
        assert_eq!(kind_of_heading(pods), Some("pod"));
        assert_eq!(kind_of_heading("NAME   ENDPOINTS   AGE"), Some("endpoints"));
    }
}
