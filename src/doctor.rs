//! `patchwright doctor`: what this machine offers or, with `--model`, what a model's service does.

mod cluster;
mod judgement;
mod questions;
mod report;
mod service;

use patchwright_command_line::cli::DoctorArgs;
use patchwright_detection::ecosystems::{ToolFacts, test_tools};
use patchwright_llm::Provider;
use patchwright_protocol::Failure;
use patchwright_sandbox::SandboxKind;
use serde::Serialize;

use crate::failure::ExitCode;

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    area: &'static str,
    name: String,
    works: bool,
    detail: String,
    cure: Option<String>,
}

/// Looks at sandboxes, tool chains, keys and other secrets; with `--clean` it removes what dead sessions left behind. With `--model` it
/// asks that model's service instead; where a cluster is named, it looks at that.
pub async fn run(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    if let Some(cluster) = &args.cluster {
        return cluster::run(cluster, args.json).await;
    }
    if let Some(word) = &args.model {
        return service::run(word, args).await;
    }
    let mut findings = sandboxes().await;
    let isolated = findings.iter().any(|finding| finding.works && finding.name != SandboxKind::Host.name());
    findings.extend(tool_chains());
    findings.extend(keys()?);
    let secrets = crate::secrets::of_environment();
    let withheld: Vec<&str> = secrets.names().collect();
    let leftovers = leftovers(args.clean).await;
    if args.json {
        let object = serde_json::json!({
            "findings": findings,
            "withheld": withheld,
            "leftovers": leftovers,
            "removed": args.clean,
        });
        crate::print(&format!("{object}\n"))?;
    } else {
        crate::print(&text(&findings, &withheld, &leftovers, args.clean))?;
    }
    if isolated {
        return Ok(ExitCode::Done);
    }
    Err(Failure::environment("no sandbox works here")
        .hint("see the cures above; --sandbox host runs without isolation, if you trust the project"))
}

async fn sandboxes() -> Vec<Finding> {
    let probes = patchwright_sandbox::probe().await;
    probes
        .into_iter()
        .map(|probe| Finding {
            area: "sandbox",
            name: probe.kind.name().to_owned(),
            works: probe.works,
            detail: probe.version.into_iter().chain(probe.missing).collect::<Vec<_>>().join("; "),
            cure: probe.cure,
        })
        .collect()
}

/// What cases of benchmarks are checked out with.
static GIT: ToolFacts = ToolFacts { name: "git", asked: &["git", "--version"], package: "git" };

fn tool_chains() -> Vec<Finding> {
    std::iter::once(&GIT)
        .chain(test_tools())
        .map(|ToolFacts { name, asked, package }| {
            let output = asked
                .split_first()
                .map(|(program, arguments)| std::process::Command::new(program).args(arguments).output());
            let version =
                output.and_then(Result::ok).filter(|output| output.status.success()).map(|output| {
                    // javac of Java 8 prints its version on stderr.
                    let text = [output.stdout, output.stderr].concat();
                    let text = String::from_utf8_lossy(&text).into_owned();
                    let plain = anstream::adapter::strip_str(&text).to_string();
                    plain.lines().next().unwrap_or_default().trim().to_owned()
                });
            Finding {
                area: "tool chain",
                name: (*name).to_owned(),
                works: version.is_some(),
                cure: version
                    .is_none()
                    .then(|| format!("needed for projects that use it: apt install {package}")),
                detail: version.unwrap_or_else(|| "not found".to_owned()),
            }
        })
        .collect()
}

fn keys() -> Result<Vec<Finding>, Failure> {
    let keys = crate::model::keys(&patchwright_command_line::options::SessionOptions::default());
    Provider::ALL
        .into_iter()
        .map(|provider| {
            let variable = provider.key_variable();
            let found = keys.find(variable).map_err(|error| crate::model::refused(&error))?.is_some();
            Ok(Finding {
                area: "key",
                name: variable.to_owned(),
                works: found,
                detail: if found { "is set".to_owned() } else { "is not set".to_owned() },
                cure: (!found).then(|| format!("needed for models named {}/…", provider.as_str())),
            })
        })
        .collect()
}

async fn leftovers(clean: bool) -> Vec<String> {
    let mut found: Vec<String> =
        crate::lanes::sweep(!clean).iter().map(|path| format!("lanes {}", path.display())).collect();
    match patchwright_sandbox::sweep(!clean).await {
        Ok(containers) => found.extend(containers),
        Err(error) => tracing::debug!("containers could not be looked for: {error}"),
    }
    found
}

/// Findings by their areas, each with its cure.
fn lines(findings: &[Finding]) -> String {
    let mut text = String::new();
    let mut area = "";
    for finding in findings {
        if finding.area != area {
            area = finding.area;
            text.push_str(&format!("{area}\n"));
        }
        let mark = if finding.works { "✓" } else { "✗" };
        text.push_str(&format!("  {mark} {:<18} {}\n", finding.name, finding.detail));
        if let Some(cure) = &finding.cure {
            text.push_str(&format!("    {:<18} {cure}\n", ""));
        }
    }
    text
}

fn text(findings: &[Finding], withheld: &[&str], leftovers: &[String], cleaned: bool) -> String {
    let mut text = lines(findings);
    text.push_str(&match withheld {
        [] => "secrets: no variable looks like one\n".to_owned(),
        [name] => format!("secrets: 1 variable is withheld and redacted: {name}\n"),
        names => {
            format!("secrets: {} variables are withheld and redacted: {}\n", names.len(), names.join(", "))
        }
    });
    text.push_str("leftovers\n");
    match (leftovers, cleaned) {
        ([], _) => text.push_str("  none\n"),
        (some, true) => text.extend(some.iter().map(|item| format!("  removed {item}\n"))),
        (some, false) => {
            text.extend(some.iter().map(|item| format!("  {item}\n")));
            text.push_str("  patchwright doctor --clean removes them\n");
        }
    }
    text
}
