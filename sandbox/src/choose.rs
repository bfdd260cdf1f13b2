//! Which sandbox to take: what was asked for, what works here, and what to do where nothing does.

use std::path::PathBuf;
use std::sync::Arc;

use crate::docker;
use crate::error::SandboxError;
use crate::kind::SandboxKind;
use crate::local::{Local, LocalKind, check};
use crate::probe::SandboxProbe;
use crate::request::{ProjectPlace, RequestedSandbox, SandboxRequest};
use crate::sandbox::Sandbox;
use crate::scratch;

/// A sandbox that works, and how it came to be chosen.
pub struct ChosenSandbox {
    /// The sandbox.
    pub sandbox: Arc<dyn Sandbox>,
    /// The sandboxes that were tried, why not, and what is missing; each a sentence for people.
    pub notes: Vec<String>,
    /// What the user has to know before commands run there, with its cure; each a sentence.
    pub warnings: Vec<String>,
}

/// Chooses a sandbox and proves that it works by running a command in it.
pub async fn choose(request: &SandboxRequest) -> Result<ChosenSandbox, SandboxError> {
    let names_container = request.image.is_some() || request.container.is_some();
    if request.image.is_some() && request.container.is_some() {
        return Err(SandboxError::request(
            "an image and a container are both given",
            "give one of --image and --container",
        ));
    }
    match request.wanted {
        RequestedSandbox::Docker => docker(request).await,
        RequestedSandbox::Auto if names_container => docker(request).await,
        RequestedSandbox::Namespaces | RequestedSandbox::Landlock | RequestedSandbox::Host
            if names_container =>
        {
            Err(SandboxError::request(
                "an image or a container is given, but the sandbox does not use one",
                "leave out --sandbox, or leave out --image and --container",
            ))
        }
        RequestedSandbox::Auto | RequestedSandbox::Namespaces => namespaces_or_landlock(request).await,
        RequestedSandbox::Landlock => local(LocalKind::Landlock, request).await,
        RequestedSandbox::Host => local(LocalKind::Host, request).await,
    }
}

async fn docker(request: &SandboxRequest) -> Result<ChosenSandbox, SandboxError> {
    let sandbox = docker::open(request).await?;
    let notes = vec![sandbox.describe()];
    Ok(ChosenSandbox { sandbox, notes, warnings: Vec::new() })
}

async fn local(kind: LocalKind, request: &SandboxRequest) -> Result<ChosenSandbox, SandboxError> {
    let sandbox = prepare(kind, request.readable.clone(), request.project.clone()).await?;
    check(&sandbox).await?;
    let mut notes = vec![sandbox.describe()];
    notes.extend(sandbox.notes().iter().cloned());
    let warnings = open_project(kind, request.project.as_ref()).into_iter().collect();
    Ok(ChosenSandbox { sandbox: Arc::new(sandbox), notes, warnings })
}

/// A warning where commands can write to the project itself, by its path.
fn open_project(kind: LocalKind, project: Option<&ProjectPlace>) -> Option<String> {
    let at = project
        .filter(|project| kind == LocalKind::Landlock && scratch::is_shared(&project.at))?
        .at
        .display();
    Some(format!(
        "{at} lies in a temporary folder that Landlock alone leaves open: what is tested can change it, and not only its copy; give \
         --sandbox namespaces where they work, or keep the project elsewhere"
    ))
}

/// Looks at what the host has, which takes a while where that is much.
async fn prepare(
    kind: LocalKind,
    readable: Vec<PathBuf>,
    project: Option<ProjectPlace>,
) -> Result<Local, SandboxError> {
    let prepared = patchwright_blocking::spawn(move |_| Local::new(kind, &readable, project)).await;
    prepared.map_err(|failure| SandboxError::failed(kind, failure))?
}

async fn namespaces_or_landlock(request: &SandboxRequest) -> Result<ChosenSandbox, SandboxError> {
    let note = match local(LocalKind::Namespaces, request).await {
        Err(SandboxError::Unavailable { reason, cure, .. }) => {
            format!("namespaces do not work here: {reason}; {cure}")
        }
        chosen => return chosen,
    };
    match local(LocalKind::Landlock, request).await {
        Ok(mut chosen) => {
            chosen.notes.insert(0, note);
            Ok(chosen)
        }
        Err(SandboxError::Unavailable { reason, cure, .. }) => Err(SandboxError::unavailable(
            "auto",
            format!("{note}. Landlock does not work either: {reason}"),
            format!(
                "{cure}; or install Docker and give --image IMAGE; or give --sandbox host to run without isolation"
            ),
        )),
        Err(other) => Err(other),
    }
}

/// Tries every kind of sandbox, for `doctor`.
pub async fn probe() -> Vec<SandboxProbe> {
    let mut probes = vec![docker::probe().await];
    for kind in [LocalKind::Namespaces, LocalKind::Landlock, LocalKind::Host] {
        probes.push(probe_local(kind).await);
    }
    probes
}

async fn probe_local(kind: LocalKind) -> SandboxProbe {
    let version = match kind {
        LocalKind::Namespaces | LocalKind::Landlock => {
            crate::local::landlock_level().map(|level| format!("Landlock interface {level}"))
        }
        LocalKind::Host => None,
    };
    let (weaknesses, tried) = match prepare(kind, Vec::new(), None).await {
        Ok(sandbox) => (sandbox.weaknesses(), check(&sandbox).await),
        Err(error) => (Vec::new(), Err(error)),
    };
    SandboxProbe::new(kind.into(), version, weaknesses, tried)
}

/// Finds what killed sessions have left behind: processes, containers and scratch folders whose owner is gone.
/// Removes them unless `dry_run`; tells what was found.
pub async fn sweep(dry_run: bool) -> Result<Vec<String>, SandboxError> {
    let mut found = crate::local::sweep(dry_run);
    let folders = scratch::sweep(dry_run).map_err(|error| {
        SandboxError::failed(SandboxKind::Host, format!("looking for leftovers: {error}"))
    })?;
    found.extend(folders.iter().map(|folder| format!("folder {}", folder.display())));
    found.extend(docker::sweep(dry_run).await?);
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn contradictions_are_refused_with_a_hint() {
        let some = |name: &str| Some(name.to_owned());
        for (wanted, image, container, reason, hint) in [
            (RequestedSandbox::Docker, None, None, "needs an image", "--image"),
            (RequestedSandbox::Auto, some("a"), some("b"), "both given", "one of"),
            (RequestedSandbox::Namespaces, some("a"), None, "does not use one", "leave out --sandbox"),
            (RequestedSandbox::Host, None, some("b"), "does not use one", "leave out --sandbox"),
        ] {
            let request = SandboxRequest { wanted, image, container, ..SandboxRequest::default() };
            let error = choose(&request).await.err().unwrap().to_string();
            assert!(error.contains(reason) && error.contains("hint: ") && error.contains(hint), "{error}");
        }
    }

    #[tokio::test]
    async fn every_kind_is_probed() {
        let kinds: Vec<_> = probe().await.iter().map(|probe| probe.kind).collect();
        assert_eq!(
            kinds,
            [SandboxKind::Docker, SandboxKind::Namespaces, SandboxKind::Landlock, SandboxKind::Host]
        );
    }
}
