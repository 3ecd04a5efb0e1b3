//! Made-up texts that look like what tools answer.

use std::fmt::Write as _;

/// A small generator of numbers; always the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) % sides
    }

    fn run(&mut self, alphabet: &[u8], count: usize) -> String {
        let sides = u64::try_from(alphabet.len()).unwrap_or(1);
        (0..count)
            .map(|_| {
                let at = usize::try_from(self.roll(sides)).unwrap_or(0);
                alphabet.get(at).copied().map_or('x', char::from)
            })
            .collect()
    }

    fn hex(&mut self, count: usize) -> String {
        self.run(b"0123456789abcdef", count)
    }

    fn word(&mut self, count: usize) -> String {
        self.run(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", count)
    }

    fn name(&mut self) -> &'static str {
        const NAMES: [&str; 8] =
            ["checkout", "cart", "mailer", "search", "billing", "gateway", "worker", "reports"];
        usize::try_from(self.roll(8)).ok().and_then(|at| NAMES.get(at)).copied().unwrap_or("web")
    }

    fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|count| self.hex(count)).join("-")
    }
}

/// `kubectl get pods,configmaps,deployments,secrets -A -o yaml`: one object in twenty is a Secret.
pub(super) fn kubernetes(bytes: usize) -> String {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut text = String::with_capacity(bytes + 8192);
    text.push_str("apiVersion: v1\nkind: List\nitems:\n");
    let mut number = 0_u32;
    while text.len() < bytes {
        number += 1;
        // Writing to a string cannot fail.
        let _written = match number % 20 {
            0 => secret(&mut text, &mut dice),
            1 | 11 => config_map(&mut text, &mut dice),
            _ => pod(&mut text, &mut dice),
        };
    }
    text
}

fn secret(text: &mut String, dice: &mut Dice) -> std::fmt::Result {
    let (name, password, token) = (dice.name(), dice.word(24), dice.word(48));
    let uid = dice.uuid();
    write!(
        text,
        "- apiVersion: v1\n  data:\n    password: {password}\n    token: {token}\n  kind: Secret\n  metadata:\n    \
         name: {name}-credentials\n    namespace: shop\n    uid: {uid}\n  type: Opaque\n"
    )
}

fn config_map(text: &mut String, dice: &mut Dice) -> std::fmt::Result {
    let (name, uid) = (dice.name(), dice.uuid());
    write!(
        text,
        "- apiVersion: v1\n  data:\n    LOG_LEVEL: info\n    application.properties: |\n      server.port=8080\n      \
         spring.application.name={name}\n      management.endpoints.web.exposure.include=health,info\n  kind: \
         ConfigMap\n  metadata:\n    creationTimestamp: \"2026-11-02T08:11:02Z\"\n    name: {name}-settings\n    \
         namespace: shop\n    uid: {uid}\n"
    )
}

fn pod(text: &mut String, dice: &mut Dice) -> std::fmt::Result {
    let (name, hash, tail, uid) = (dice.name(), dice.hex(10), dice.hex(5), dice.uuid());
    let (image, container, owner) = (dice.hex(64), dice.hex(64), dice.uuid());
    let (address, restarts, version) = (dice.roll(250), dice.roll(9), dice.roll(99_999_999));
    write!(
        text,
        "- apiVersion: v1\n  kind: Pod\n  metadata:\n    annotations:\n      checksum/config: {image}\n    \
         creationTimestamp: \"2026-11-02T08:11:02Z\"\n    generateName: {name}-{hash}-\n    labels:\n      \
         app.kubernetes.io/name: {name}\n      pod-template-hash: {hash}\n    name: {name}-{hash}-{tail}\n    \
         namespace: shop\n    ownerReferences:\n    - apiVersion: apps/v1\n      blockOwnerDeletion: true\n      \
         controller: true\n      kind: ReplicaSet\n      name: {name}-{hash}\n      uid: {owner}\n    \
         resourceVersion: \"{version}\"\n    uid: {uid}\n  spec:\n    containers:\n    - env:\n      - name: \
         LOG_LEVEL\n        value: info\n      - name: DB_PASSWORD\n        valueFrom:\n          secretKeyRef:\n            \
         key: password\n            name: {name}-credentials\n      image: \
         registry.example.com/shop/{name}:1.{restarts}.2\n      imagePullPolicy: IfNotPresent\n      livenessProbe:\n        \
         failureThreshold: 3\n        httpGet:\n          path: /healthz\n          port: http\n          scheme: \
         HTTP\n        periodSeconds: 10\n      name: {name}\n      ports:\n      - containerPort: 8080\n        name: \
         http\n        protocol: TCP\n      resources:\n        limits:\n          memory: 512Mi\n        requests:\n          \
         cpu: 100m\n          memory: 256Mi\n      terminationMessagePath: /dev/termination-log\n      volumeMounts:\n      \
         - mountPath: /var/run/secrets/kubernetes.io/serviceaccount\n        name: kube-api-access-{tail}\n        \
         readOnly: true\n    dnsPolicy: ClusterFirst\n    nodeName: node-{address}\n    restartPolicy: Always\n    \
         serviceAccountName: {name}\n    volumes:\n    - name: kube-api-access-{tail}\n      projected:\n        \
         defaultMode: 420\n        sources:\n        - serviceAccountToken:\n            expirationSeconds: 3607\n            \
         path: token\n  status:\n    conditions:\n    - lastProbeTime: null\n      lastTransitionTime: \
         \"2026-11-02T08:11:09Z\"\n      status: \"True\"\n      type: Ready\n    containerStatuses:\n    - containerID: \
         containerd://{container}\n      imageID: registry.example.com/shop/{name}@sha256:{image}\n      ready: true\n      \
         restartCount: {restarts}\n    hostIP: 10.0.0.{address}\n    phase: Running\n    podIP: 10.1.2.{address}\n    \
         qosClass: Burstable\n"
    )
}

/// Lines of applications, proxies and the system; one in two hundred has a secret in it.
pub(super) fn logs(bytes: usize) -> String {
    let mut dice = Dice(0xd1b5_4a32_d192_ed03);
    let mut text = String::with_capacity(bytes + 1024);
    let mut number = 0_u32;
    while text.len() < bytes {
        number += 1;
        // Writing to a string cannot fail.
        let _written = line(&mut text, &mut dice, number);
    }
    text
}

fn line(text: &mut String, dice: &mut Dice, number: u32) -> std::fmt::Result {
    let (name, trace, second) = (dice.name(), dice.hex(32), number % 60);
    let (millis, address) = (dice.roll(900), dice.roll(250));
    if number.is_multiple_of(200) {
        let token = dice.word(36);
        return match number / 200 % 4 {
            0 => writeln!(
                text,
                "2026-11-22T01:02:{second:02}Z DEBUG {name} Authorization: Bearer {token}"
            ),
            1 => writeln!(
                text,
                "2026-11-22T01:02:{second:02}Z WARN {name} retry postgres://app:{token}@db:5432/shop"
            ),
            2 => writeln!(
                text,
                "2026-11-22T01:02:{second:02}Z INFO {name} login user=bob password={token} ok"
            ),
            _ => writeln!(
                text,
                "2026-11-22T01:02:{second:02}Z ERROR {name} clone with ghp_{token} failed"
            ),
        };
    }
    match number % 5 {
        0 => writeln!(
            text,
            "10.0.0.{address} - - [22/Nov/2026:01:02:{second:02} +0000] \"GET /api/v1/{name}/items?page={millis} HTTP/1.1\" 200 \
             {millis} \"-\" \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\""
        ),
        1 => writeln!(
            text,
            "{{\"ts\":\"2026-11-22T01:02:{second:02}.{millis:03}Z\",\"level\":\"info\",\"logger\":\"{name}.http\",\"msg\":\"request \
             done\",\"trace_id\":\"{trace}\",\"status\":200,\"duration_ms\":{millis},\"path\":\"/items/{address}\"}}"
        ),
        2 => writeln!(
            text,
            "I1122 01:02:{second:02}.000{millis:03}       1 reconciler.go:{address}] \"Reconciled\" controller=\"{name}\" \
             object=\"shop/{name}-{millis}\" generation={address}"
        ),
        3 => writeln!(
            text,
            "Nov 22 01:02:{second:02} node-{address} systemd[1]: {name}.service: Consumed {millis}ms processor time, 12.4M memory \
             peak."
        ),
        _ => writeln!(
            text,
            "2026-11-22T01:02:{second:02}.{millis:03}Z INFO {name}::worker: batch finished keys={address} tokens={millis} \
             trace_id={trace} retries=0"
        ),
    }
}
