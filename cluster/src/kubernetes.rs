//! Manifests for Kubernetes: a run whose parts are the indices of a Job.

use super::script::quoted;

/// The longest name: pods add an index and five letters, and labels have 63.
const LONGEST_NAME: usize = 40;
/// Seconds that a pod has to close what runs.
const GRACE: u32 = 180;
/// Tries of each part, beside those that the cluster itself ended.
const TRIES: u32 = 6;

/// What the manifests are of.
#[derive(Clone, Debug)]
pub struct Manifests {
    /// The name of the run.
    pub name: String,
    /// What pods do.
    pub pods: Pods,
    /// Pods at once, if not all.
    pub at_once: Option<u32>,
    /// The image with the program, the suite, and what its projects need.
    pub image: String,
    /// The secret that holds the keys, under the names of their variables.
    pub secret: Option<String>,
    /// Processors of a pod.
    pub processors: usize,
    /// Memory of a pod, as Kubernetes writes it.
    pub memory: String,
}

/// What pods do.
#[derive(Clone, Debug)]
pub enum Pods {
    /// Each works on a part of the run, and writes into a volume.
    Parts {
        /// The words of the command that a pod runs, without its program, its part and `--out`.
        words: Vec<String>,
        /// How many parts the run has.
        of: u32,
        /// The claim of the volume that holds the run; one is made of this name where none was named.
        claim: Option<String>,
        /// The disk of a claim that is made, as Kubernetes writes it.
        disk: String,
    },
    /// Each claims parts from a ledger, which holds the results.
    Workers {
        /// The words of the command that a pod runs, without its program.
        words: Vec<String>,
        /// How many pods there are.
        count: u32,
    },
}

impl Manifests {
    /// As YAML documents: the claim where it is made, and a Job (`batch/v1`), an Indexed one for parts. Nothing of it needs more than the Pod
    /// Security Standard `restricted` allows.
    pub fn text(&self) -> String {
        let name = name(&self.name);
        match &self.pods {
            Pods::Parts { words, of, claim, disk } => {
                let made = if claim.is_none() { volume_claim(&name, disk) } else { String::new() };
                let claim = claim.as_ref().unwrap_or(&name);
                let command = format!(
                    "{} --out {} --part \"$((JOB_COMPLETION_INDEX + 1))/{of}\" --go-on",
                    command(words),
                    quoted(&format!("/runs/{name}"))
                );
                let head = format!(
                    "completionMode: Indexed\n  \
                     completions: {of}\n  \
                     parallelism: {at_once}\n  \
                     # A part that fails is tried again by itself, and goes on where it was.\n  \
                     backoffLimitPerIndex: {TRIES}\n  \
                     maxFailedIndexes: {of}",
                    at_once = self.at_once.unwrap_or(*of),
                );
                let mount = "        - name: runs\n          mountPath: /runs\n";
                let volume = format!(
                    "      - name: runs\n        persistentVolumeClaim:\n          claimName: {}\n",
                    text(claim)
                );
                made + &self.job(&name, &head, &command, (mount, &volume), "")
            }
            Pods::Workers { words, count } => {
                let head = format!(
                    "# A worker that is lost is replaced, and others take its parts over meanwhile.\n  \
                     completions: {count}\n  \
                     parallelism: {at_once}\n  \
                     backoffLimit: {TRIES}",
                    at_once = self.at_once.unwrap_or(*count),
                );
                // Workers use as many processors as they see.
                let limit = format!("cpu: \"{}\", ", self.processors);
                self.job(&name, &head, &command(words), ("", ""), &limit)
            }
        }
    }

    /// The Job, with the lines of its specification that come first, what its pods run, the mount and the volume that they have beside a
    /// scratch folder, and limits beside that of memory.
    fn job(
        &self,
        name: &str,
        head: &str,
        command: &str,
        (mount, volume): (&str, &str),
        limits: &str,
    ) -> String {
        let labels = labels(name);
        let secret = self.secret.as_ref().map_or_else(String::new, |secret| {
            format!("        # Keys, by the names of their variables.\n        envFrom:\n        - secretRef:\n            name: {}\n", text(secret))
        });
        format!(
            "apiVersion: batch/v1\n\
             kind: Job\n\
             metadata:\n  name: {name}\n  labels:\n    {labels}\n\
             spec:\n  \
               {head}\n  \
               podFailurePolicy:\n    rules:\n    \
                 # Preemption, eviction and drained nodes are no failures of the run.\n    \
                 - action: Ignore\n      onPodConditions:\n      - type: DisruptionTarget\n        status: \"True\"\n  \
               template:\n    metadata:\n      labels:\n        {pod_labels}\n    \
                 spec:\n      \
                   restartPolicy: Never\n      \
                   terminationGracePeriodSeconds: {GRACE}\n      \
                   automountServiceAccountToken: false\n      \
                   securityContext:\n        runAsNonRoot: true\n        runAsUser: 1000\n        runAsGroup: 1000\n        fsGroup: 1000\n        \
                     seccompProfile:\n          type: RuntimeDefault\n      \
                   containers:\n      \
                   - name: patchwright\n        image: {image}\n        \
                     command: [/bin/sh, -c, {command}]\n        \
                     env:\n        - name: HOME\n          value: /tmp\n\
             {secret}        \
                     resources:\n          \
                       requests: {{cpu: \"{cpu}\", memory: {memory}}}\n          \
                       limits: {{{limits}memory: {memory}}}\n        \
                     securityContext:\n          readOnlyRootFilesystem: true\n          allowPrivilegeEscalation: false\n          \
                       capabilities:\n            drop: [ALL]\n        \
                     volumeMounts:\n{mount}        - name: scratch\n          mountPath: /tmp\n        \
                     # The sandbox keeps here what commands may not write.\n        \
                     - name: apart\n          mountPath: /var/tmp\n      \
                   volumes:\n{volume}      \
                   - name: scratch\n        emptyDir: {{}}\n      \
                   - name: apart\n        emptyDir: {{}}\n",
            name = text(name),
            pod_labels = labels.replace("\n    ", "\n        "),
            image = text(&self.image),
            command = text(command),
            cpu = self.processors,
            memory = text(&self.memory),
        )
    }
}

fn labels(name: &str) -> String {
    format!("app.kubernetes.io/name: patchwright\n    app.kubernetes.io/instance: {}", text(name))
}

fn volume_claim(name: &str, disk: &str) -> String {
    format!(
        "apiVersion: v1\n\
         kind: PersistentVolumeClaim\n\
         metadata:\n  name: {claim}\n  labels:\n    {labels}\n\
         spec:\n  \
           # All pods write into it, each into the folder of its part.\n  \
           accessModes: [ReadWriteMany]\n  \
           resources:\n    requests:\n      storage: {disk}\n\
         ---\n",
        claim = text(name),
        labels = labels(name),
        disk = text(disk),
    )
}

/// What a shell in a pod runs.
fn command(words: &[String]) -> String {
    // Kubernetes replaces names in dollars and parentheses before a shell sees them.
    let words: Vec<String> = words.iter().map(|word| quoted(word).replace('$', "$$")).collect();
    format!("exec patchwright {}", words.join(" "))
}

/// A scalar of YAML, which takes JSON's texts.
fn text(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

/// A name that Kubernetes takes (RFC 1123): small letters, digits and hyphens between them.
fn name(run: &str) -> String {
    let letters = run
        .to_lowercase()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect::<String>();
    let name: String = letters.trim_matches('-').chars().take(LONGEST_NAME).collect();
    let name = name.trim_matches('-');
    // Names of services begin with a letter.
    if name.starts_with(|letter: char| letter.is_ascii_lowercase()) {
        name.to_owned()
    } else {
        format!("run-{name}").trim_matches('-').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_kubernetes_takes() {
        let check = |run: &str, expect: &str| assert_eq!(name(run), expect, "{run}");
        check("SWE Lite_1", "swe-lite-1");
        check("2026-11", "run-2026-11");
        check("---", "run");
        check(&"a-".repeat(60), &"a-".repeat(20)[..39]);
    }

    #[test]
    fn parts_are_an_indexed_job_with_a_volume_and_workers_one_without() {
        let words = |text: &[&str]| text.iter().map(|word| (*word).to_owned()).collect();
        let parts = |claim: Option<&str>| Pods::Parts {
            words: words(&["bench", "run", "--suite", "swe-bench:/data/a \"$b\".parquet"]),
            of: 60,
            claim: claim.map(str::to_owned),
            disk: "100Gi".to_owned(),
        };
        let manifests = Manifests {
            name: "lite".to_owned(),
            pods: parts(None),
            at_once: Some(20),
            image: "registry.example/patchwright:0.2".to_owned(),
            secret: Some("keys".to_owned()),
            processors: 4,
            memory: "8Gi".to_owned(),
        };
        insta::assert_snapshot!(manifests.text());
        let named = Manifests { pods: parts(Some("shared")), secret: None, ..manifests.clone() };
        assert!(!named.text().contains("PersistentVolumeClaim\n") && !named.text().contains("secretRef"));

        let workers =
            Pods::Workers { words: words(&["worker", "postgres://me@db/runs", "--run", "lite"]), count: 8 };
        insta::assert_snapshot!(
            "workers_of_a_ledger",
            Manifests { pods: workers, at_once: None, ..manifests }.text()
        );
    }
}
