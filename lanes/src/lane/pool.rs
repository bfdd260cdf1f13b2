//! A number of lanes, made when they are needed and used again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use patchwright_blocking::lock;
use patchwright_folder::{Folder, FolderError};
use patchwright_protocol::Failure;
use patchwright_sandbox::{CommandLimits, Volume, Volumes};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{CopyRules, Lane, LaneError, MOST_ENTRIES, Manifest, OUT, PROJECT, TOOLS, copy_project};
use crate::activity::{Activity, Progress};
use crate::repository::{PlantedRepository, plant};

/// The time for removing the lanes of a session that was broken off.
const LAST_REMOVAL: Duration = Duration::from_millis(500);

/// The folder of the copy that no command runs in.
const PRISTINE: &str = "pristine";

/// Files put into the folder `tools` of each lane, by path relative to it.
pub type Tools = BTreeMap<String, Vec<u8>>;

/// The lanes of a test harness.
#[derive(Debug)]
pub struct Lanes {
    shared: Arc<LaneStore>,
    permits: Arc<Semaphore>,
    count: usize,
}

#[derive(Debug)]
struct LaneStore {
    work: Folder,
    pristine: Folder,
    /// The contents of the pristine copy.
    contents: Manifest,
    /// The repository in that copy.
    planted: Option<Arc<PlantedRepository>>,
    /// Is true if the folder for the work was made by us.
    own_work: bool,
    idle: Mutex<Vec<IdleLane>>,
    tools: Mutex<Tools>,
    /// Names of lanes that were removed. They are used again: a sandbox may keep something for each place.
    free: Mutex<BTreeSet<String>>,
    next: AtomicUsize,
    /// The means to bound the size of lanes.
    volumes: Option<Volumes>,
    /// The volumes that bound the lanes, by name.
    bounded: Mutex<BTreeMap<String, Volume>>,
    removed: AtomicBool,
    /// The lanes are being removed: what is under way ends.
    stopped: AtomicBool,
    /// Held by whoever works on files of lanes.
    working: RwLock<()>,
}

/// A lane in use, equal to the pristine copy when it was handed out.
#[derive(Debug)]
pub struct LaneLease {
    idle: IdleLane,
    shared: Arc<LaneStore>,
    _permit: OwnedSemaphorePermit,
}

/// A lane that others may not use, though nobody has the right to one for it: a command may wait there to go on.
#[derive(Debug)]
pub struct IdleLane {
    lane: Lane,
    manifest: Manifest,
}

impl Lanes {
    /// Copies the project into `work`; the lanes will lie there too, at most `count` at once.
    pub async fn open(
        source: &Path,
        work: &Path,
        rules: CopyRules,
        tools: Tools,
        count: usize,
        volumes: Option<Volumes>,
        activity: &Activity,
    ) -> Result<(Self, Vec<String>), LaneError> {
        let (source, work) = (source.to_owned(), work.to_owned());
        let _step = activity.begin("copying the project");
        let activity = activity.clone();
        let (shared, notes) = patchwright_blocking::spawn(move |cancelled| {
            let is_cancelled = || cancelled.load(Ordering::Relaxed);
            let (work, own_work) = folder_of_work(&work)?;
            work.remove(PRISTINE, &is_cancelled)?;
            let pristine = work.make(PRISTINE)?;
            // Whatever goes wrong from here on, `LaneStore` removes what was copied.
            let mut shared = LaneStore {
                work,
                pristine,
                contents: Manifest::default(),
                planted: None,
                own_work,
                idle: Mutex::default(),
                tools: Mutex::new(tools),
                free: Mutex::default(),
                next: AtomicUsize::new(1),
                volumes,
                bounded: Mutex::default(),
                removed: AtomicBool::new(false),
                stopped: AtomicBool::new(false),
                working: RwLock::default(),
            };
            let count = |done, all| activity.count(Progress::Files(done, all));
            let source = Folder::open(&source)?;
            let mut notes = copy_project(&source, &shared.pristine, &rules, &is_cancelled, Some(&count))?;
            let (planted, note) = plant(source.path(), &shared.pristine, &is_cancelled)?;
            shared.planted = planted.map(Arc::new);
            notes.extend(note);
            shared.contents = Manifest::of(&shared.pristine, &is_cancelled)?;
            Ok::<_, LaneError>((Arc::new(shared), notes))
        })
        .await??;
        let count = count.max(1);
        Ok((Self { shared, permits: Arc::new(Semaphore::new(count)), count }, notes))
    }

    /// The copy that no command runs in.
    pub fn pristine(&self) -> &Folder {
        &self.shared.pristine
    }

    /// The contents of that copy.
    pub fn contents(&self) -> &Manifest {
        &self.shared.contents
    }

    /// The number of lanes at most.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of lanes that nobody uses just now.
    pub fn unused(&self) -> usize {
        self.permits.available_permits()
    }

    /// Adds files for all lanes handed out from now on.
    pub fn add_tools(&self, tools: Tools) {
        lock(&self.shared.tools).extend(tools);
    }

    /// A lane equal to the pristine copy, as soon as one is free.
    pub async fn take(&self) -> Result<LaneLease, LaneError> {
        let permit = self.permit().await?;
        let known = lock(&self.shared.idle).pop();
        self.hand_out(permit, known).await
    }

    /// A lane that no command has run in before.
    pub async fn fresh(&self) -> Result<LaneLease, LaneError> {
        self.hand_out(self.permit().await?, None).await
    }

    /// The right to use a lane, as soon as one is free.
    pub async fn permit(&self) -> Result<OwnedSemaphorePermit, LaneError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        permit.map_err(|error| Failure::defect(error).into())
    }

    /// Goes on with a lane in which a command is at rest: the copy of the project is reset, and nothing else. What cannot be reset
    /// is handed back: its command has to end.
    pub async fn wake(
        &self,
        idle: IdleLane,
        permit: OwnedSemaphorePermit,
    ) -> Result<Result<LaneLease, (IdleLane, OwnedSemaphorePermit)>, LaneError> {
        let reset = self.shared.work(move |shared, is_cancelled| {
            Ok(match shared.reset_project(&idle, is_cancelled) {
                Ok(manifest) => Ok(IdleLane { manifest, ..idle }),
                Err(error) if error.is_of_the_lane() => {
                    tracing::debug!(%error, "a lane is made unusable");
                    Err(idle)
                }
                Err(error) => return Err(error),
            })
        });
        Ok(match reset.await? {
            Ok(idle) => Ok(LaneLease { idle, shared: Arc::clone(&self.shared), _permit: permit }),
            Err(idle) => Err((idle, permit)),
        })
    }

    /// A lane for whoever has a right to one: one that is known and in which no command runs any more, or else one that no command has
    /// run in before.
    pub async fn hand_out(
        &self,
        permit: OwnedSemaphorePermit,
        known: Option<IdleLane>,
    ) -> Result<LaneLease, LaneError> {
        let made = self.shared.work(move |shared, is_cancelled| match known {
            Some(idle) => match shared.reset(&idle, is_cancelled) {
                Ok(manifest) => Ok(IdleLane { manifest, ..idle }),
                // What ran in a lane may have made it what it can no longer be brought back from.
                Err(error) if error.is_of_the_lane() => {
                    tracing::debug!(%error, "a lane is replaced");
                    shared.give_up(&idle.lane)?;
                    shared.create(is_cancelled)
                }
                Err(error) => Err(error),
            },
            None => shared.create(is_cancelled),
        });
        Ok(LaneLease { idle: made.await?, shared: Arc::clone(&self.shared), _permit: permit })
    }

    /// Removes all lanes and the pristine copy.
    pub async fn close(self) -> Result<(), LaneError> {
        let shared = Arc::clone(&self.shared);
        patchwright_blocking::spawn(move |_| shared.remove(&|| false)).await?
    }
}

impl LaneLease {
    /// The lane.
    pub fn lane(&self) -> &Lane {
        &self.idle.lane
    }

    /// Hands a lane back whose command has ended; it is reset when it is used again. A lane that is dropped instead
    /// (its run was broken off) is not used again.
    pub fn give_back(self) {
        lock(&self.shared.idle).push(self.idle);
    }

    /// Makes the copy of the project equal to the pristine one again, and nothing else.
    pub async fn reset(mut self) -> Result<Self, LaneError> {
        let idle = self.idle;
        self.idle = self
            .shared
            .work(move |shared, is_cancelled| {
                let manifest = shared.reset_project(&idle, is_cancelled)?;
                Ok(IdleLane { manifest, ..idle })
            })
            .await?;
        Ok(self)
    }

    /// Leaves the right to a lane to others until this one is woken up.
    pub fn rest(self) -> IdleLane {
        self.idle
    }

    /// Removes the lane.
    pub async fn remove(self) -> Result<(), LaneError> {
        patchwright_blocking::spawn(move |_| self.shared.give_up(self.lane())).await?
    }
}

impl LaneStore {
    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Works on the files of lanes on a thread of its own. The work is told when nobody waits for it, or when the lanes are removed.
    async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &dyn Fn() -> bool) -> Result<T, LaneError> + Send + 'static,
    ) -> Result<T, LaneError> {
        let shared = Arc::clone(self);
        patchwright_blocking::spawn(move |cancelled| {
            let _working = shared.working.read().unwrap_or_else(PoisonError::into_inner);
            work(&shared, &|| cancelled.load(Ordering::Relaxed) || shared.is_stopped())
        })
        .await?
    }

    fn create(&self, is_cancelled: &dyn Fn() -> bool) -> Result<IdleLane, LaneError> {
        let free = lock(&self.free).pop_first();
        let name = free.unwrap_or_else(|| lane_name(self.next.fetch_add(1, Ordering::SeqCst)));
        self.clear(&name, is_cancelled)?;
        self.work.make(&name)?;
        self.bound(&name);
        let lane = Lane::new(self.work.below(&name)?, self.planted.clone());
        let project = lane.root().make(PROJECT)?;
        copy_project(&self.pristine, &project, &CopyRules::plain().with_planted(), is_cancelled, None)?;
        self.furnish(&lane, is_cancelled)?;
        Ok(IdleLane { manifest: Manifest::of(&project, is_cancelled)?, lane })
    }

    fn give_up(&self, lane: &Lane) -> Result<(), LaneError> {
        let Some(name) = lane.place().file_name().and_then(|name| name.to_str()) else { return Ok(()) };
        self.clear(name, &|| self.is_stopped())?;
        lock(&self.free).insert(name.to_owned());
        Ok(())
    }

    /// Bounds what an empty lane may hold: the project, and all that a command may write. Where that cannot be done, it is watched.
    fn bound(&self, name: &str) {
        let Some(volumes) = self.volumes else { return };
        let more = CommandLimits::default().disk_bytes;
        // The watch is to see more than the limit before there is no room.
        let size = self.contents.bytes() + more + more / 8;
        match volumes.create(&self.work.path().join(name), size) {
            Ok(volume) => drop(lock(&self.bounded).insert(name.to_owned(), volume)),
            Err(error) => tracing::info!(%error, "a lane has no file system of its own"),
        }
    }

    /// Removes what has this name.
    fn clear(&self, name: &str, is_cancelled: &dyn Fn() -> bool) -> Result<(), FolderError> {
        drop(lock(&self.bounded).remove(name));
        self.work.remove(name, is_cancelled)
    }

    fn reset(&self, idle: &IdleLane, is_cancelled: &dyn Fn() -> bool) -> Result<Manifest, LaneError> {
        let manifest = self.reset_project(idle, is_cancelled)?;
        self.furnish(&idle.lane, is_cancelled)?;
        Ok(manifest)
    }

    fn reset_project(&self, idle: &IdleLane, is_cancelled: &dyn Fn() -> bool) -> Result<Manifest, LaneError> {
        idle.manifest.restore(&idle.lane.project()?, &self.pristine, is_cancelled)
    }

    /// Makes the folders beside the project anew; nothing else stays there.
    fn furnish(&self, lane: &Lane, is_cancelled: &dyn Fn() -> bool) -> Result<(), LaneError> {
        for (name, _) in lane.root().list(MOST_ENTRIES)? {
            if name != PROJECT {
                lane.root().remove(name, is_cancelled)?;
            }
        }
        lane.root().make(OUT)?;
        let tools = lane.root().make(TOOLS)?;
        for (name, bytes) in lock(&self.tools).iter() {
            tools.write(name, bytes)?;
        }
        Ok(())
    }

    fn remove(&self, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Result<(), LaneError> {
        if self.removed.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        // What is under way ends at the next file.
        self.stopped.store(true, Ordering::SeqCst);
        let _alone = self.working.write().unwrap_or_else(PoisonError::into_inner);
        let lanes = (1..self.next.load(Ordering::SeqCst)).map(lane_name);
        let names: Vec<String> = lanes.chain([PRISTINE.to_owned()]).collect();
        // Side by side: whoever has ended a session waits for it.
        let removed: Vec<Result<(), FolderError>> = thread::scope(|scope| {
            let removals: Vec<_> =
                names.iter().map(|name| scope.spawn(move || self.clear(name, &is_cancelled))).collect();
            removals.into_iter().filter_map(|removal| removal.join().ok()).collect()
        });
        if self.own_work {
            // Something else may have been put there in the meantime.
            #[allow(clippy::disallowed_methods, reason = "it holds the lanes")]
            let _ = fs::remove_dir(self.work.path());
        }
        Ok(removed.into_iter().collect::<Result<(), _>>()?)
    }
}

/// Opens the folder for the work; says whether it had to be made.
#[allow(clippy::disallowed_methods, reason = "the user names it, or we do; it holds the lanes")]
fn folder_of_work(at: &Path) -> Result<(Folder, bool), LaneError> {
    let is_new = !at.exists();
    fs::create_dir_all(at).map_err(|source| FolderError::Io {
        doing: "create",
        path: at.to_owned(),
        source,
    })?;
    Ok((Folder::open(at)?, is_new))
}

fn lane_name(number: usize) -> String {
    format!("lane-{number}")
}

impl Drop for LaneStore {
    fn drop(&mut self) {
        // Whoever has ended a session does not wait for what is left: the next one removes it.
        let began = Instant::now();
        match self.remove(&|| began.elapsed() > LAST_REMOVAL) {
            Err(LaneError::Stopped) => tracing::info!("lanes are left for the next session to be removed"),
            Err(error) => tracing::warn!(%error, "a lane could not be removed"),
            Ok(()) => {}
        }
    }
}
