//! Who runs the program, and what it keeps code under test in.

use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::containers::image;

/// A user who owns nothing.
pub const NOBODY: u32 = 65534;

/// Where the kernel makes no namespace, Landlock is what remains.
const WITHOUT_NAMESPACES: &[&str] = &[
    "unshare",
    "--user",
    "--map-root-user",
    "sh",
    "-c",
    "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"",
    "sh",
];
/// Where that user finds programs.
pub const USER_PATH: &str = "/usr/bin:/bin";
const AS_NOBODY: &[&str] = &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/// A sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// Namespaces and Landlock.
    Namespaces,
    /// Landlock alone.
    Landlock,
    /// A container.
    Docker,
    /// None.
    Host,
}

/// Who runs the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Whoever runs the tests.
    Tester,
    /// An ordinary user, where the tests are run by root.
    Nobody,
}

/// A sandbox, and the user whose program makes it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The sandbox.
    pub sandbox: Sandbox,
    /// The user.
    pub who: Who,
}

/// All places. An ordinary user may not talk to the engine of containers.
const PLACES: [Place; 5] = [
    Place { sandbox: Sandbox::Namespaces, who: Who::Tester },
    Place { sandbox: Sandbox::Namespaces, who: Who::Nobody },
    Place { sandbox: Sandbox::Docker, who: Who::Tester },
    Place { sandbox: Sandbox::Landlock, who: Who::Nobody },
    Place { sandbox: Sandbox::Landlock, who: Who::Tester },
];

impl Place {
    /// The places that there are on this machine; of others it is said once why they are left out.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Place>> =
            LazyLock::new(|| PLACES.into_iter().filter(|place| Place::is_there(*place)).collect());
        &ALL
    }

    /// The same, and no sandbox at all.
    pub fn with_host() -> &'static [Self] {
        static ALL: LazyLock<Vec<Place>> = LazyLock::new(|| {
            let hosts = [Who::Tester, Who::Nobody].map(|who| Place { sandbox: Sandbox::Host, who });
            Place::all().iter().copied().chain(hosts.into_iter().filter(|place| place.is_there())).collect()
        });
        &ALL
    }

    /// Is true if commands use the tool chains of the host.
    pub fn is_host(self) -> bool {
        self.sandbox != Sandbox::Docker
    }

    /// Is true if a command of the shell works for its user.
    pub fn runs(self, command: &str) -> bool {
        let mut shell = Command::new("sh");
        if self.who == Who::Nobody {
            shell.env("PATH", USER_PATH);
        }
        shell
            .args(["-c", command])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// The first place of whoever runs the tests, which takes no image where there are namespaces.
    pub fn first() -> Self {
        let is_first = |place: &Self| place.who == Who::Tester && place.is_there();
        PLACES.into_iter().find(is_first).unwrap()
    }

    fn is_there(self) -> bool {
        if self.sandbox == Sandbox::Docker {
            return image().is_some();
        }
        let mut words = self.prefix();
        words.push("true");
        let tried = Command::new(words[0]).args(&words[1..]).stderr(Stdio::null()).status();
        let works = tried.is_ok_and(|status| status.success());
        if !works {
            println!("skipped: {self:?}: `{}` does not work", words.join(" "));
        }
        works
    }

    /// What stands before a command that its user is to run.
    pub fn user(self) -> &'static [&'static str] {
        if self.who == Who::Nobody { AS_NOBODY } else { &[] }
    }

    /// What stands before the program's own words.
    pub fn prefix(self) -> Vec<&'static str> {
        let user = self.user();
        let kernel: &[&str] = if self.sandbox == Sandbox::Landlock { WITHOUT_NAMESPACES } else { &[] };
        [user, kernel].concat()
    }

    /// The program's words for it.
    pub fn words(self) -> Vec<&'static str> {
        match self.sandbox {
            Sandbox::Docker => vec!["--image", image().unwrap()],
            Sandbox::Namespaces | Sandbox::Landlock => vec!["--sandbox", "namespaces"],
            Sandbox::Host => vec!["--sandbox", "host"],
        }
    }
}
