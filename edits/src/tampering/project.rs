//! Which modules belong to the project, by what lay in it before the change.

use patchwright_syntax::{Language, ModuleNames, Project, ProjectPath};

/// What lies in a project before a change.
pub trait ProjectContents {
    /// Whether there is a file or folder at this path from the project's root.
    fn contains(&self, path: &str) -> bool;
}

impl ProjectContents for Project {
    fn contains(&self, path: &str) -> bool {
        // Links are not followed: the last part of the path counts as it stands.
        ProjectPath::new(path).is_ok_and(|path| self.root().join(&path).symlink_metadata().is_ok())
    }
}

/// The letters of the longest first part of a package that many projects share, as they do domains.
const LONGEST_SHARED: usize = 3;

/// Tells the modules of the project from those of others, as one of its files imports them.
pub(super) struct Modules<'p> {
    language: Language,
    path: &'p ProjectPath,
    project: &'p dyn ProjectContents,
}

impl<'p> Modules<'p> {
    pub(super) fn new(language: Language, path: &'p ProjectPath, project: &'p dyn ProjectContents) -> Self {
        Self { language, path, project }
    }

    /// Whether the project defines the module, package or class of this path.
    pub(super) fn defines(&self, module: &str) -> bool {
        match self.language.entry().bindings.modules {
            ModuleNames::Dotted => self.has_module(module.split('.').next().unwrap_or_default()),
            ModuleNames::Packages => self.has_package(module),
            ModuleNames::Specifiers => self.has_specifier(module),
        }
    }

    /// A relative import has an empty first part.
    fn has_module(&self, name: &str) -> bool {
        name.is_empty() || self.roots().iter().any(|root| self.has_module_in(root, name))
    }

    fn has_module_in(&self, root: &str, name: &str) -> bool {
        let entry = self.language.entry();
        let has = |path: String| self.project.contains(&path);
        let file = entry.extensions.first().copied().unwrap_or_default();
        // A folder without a file of its own comes after the libraries.
        has(format!("{root}{name}.{file}"))
            || self.package_file(&format!("{root}{name}/")).is_some_and(has)
            || has(format!("{root}{name}")) && !entry.tampering.shadowed.contains(&name)
    }

    /// The file that makes a folder, written with a slash at its end, a package.
    fn package_file(&self, folder: &str) -> Option<String> {
        let entry = self.language.entry();
        Some(format!("{folder}{}.{}", entry.folder_module?, entry.extensions.first()?))
    }

    /// The folders in which modules are looked for, each with a slash at its end: the root, those of the language's entry, and the
    /// folders around the file that are no packages.
    fn roots(&self) -> Vec<String> {
        let entry = self.language.entry();
        let mut roots = vec![String::new()];
        roots.extend(entry.tampering.roots.iter().map(|root| format!("{root}/")));
        let above = self.path.as_str().match_indices('/').map(|(end, _)| &self.path.as_str()[..=end]);
        roots.extend(above.filter_map(|folder| {
            let own = self.package_file(folder)?;
            (!self.project.contains(&own)).then(|| folder.to_owned())
        }));
        roots
    }

    /// A package is the project's where its first part is a folder of it; where that is shared by many (`org`), with the second.
    fn has_package(&self, path: &str) -> bool {
        let mut parts = path.split('.');
        let Some(first) = parts.next() else { return false };
        // `java` is a folder of sources, and a package of others.
        let roots = &self.language.entry().tampering.roots;
        if roots.iter().any(|root| root.rsplit('/').next() == Some(first)) {
            return false;
        }
        let second = parts.next().filter(|_| first.len() <= LONGEST_SHARED);
        let folder = second.map_or_else(|| first.to_owned(), |second| format!("{first}/{second}"));
        let is_around = self
            .path
            .as_str()
            .match_indices(&format!("{folder}/"))
            .any(|(start, _)| start == 0 || self.path.as_str().as_bytes().get(start - 1) == Some(&b'/'));
        // What lies around the file was there before, unless the change brings the folder.
        let roots = roots.iter().map(|root| format!("{root}/"));
        let around = is_around.then(|| self.source_root(&folder)).flatten();
        roots
            .chain([String::new()])
            .chain(around)
            .any(|root| self.project.contains(&format!("{root}{folder}")))
    }

    /// What of the file's path stands before a folder, with the slash at its end.
    fn source_root(&self, folder: &str) -> Option<String> {
        let path = self.path.as_str();
        path.match_indices(&format!("{folder}/"))
            .find(|(start, _)| *start == 0 || path.as_bytes().get(start - 1) == Some(&b'/'))
            .and_then(|(start, _)| path.get(..start))
            .map(str::to_owned)
    }

    /// Whether the folder of the file has another one of this name.
    pub(super) fn is_beside(&self, name: &str) -> bool {
        let folder = self.path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
        let extension = self.language.entry().extensions.first().copied().unwrap_or_default();
        self.project.contains(format!("{folder}/{name}.{extension}").trim_start_matches('/'))
    }

    fn has_specifier(&self, module: &str) -> bool {
        // Aliases of build tools lead into the project.
        if module.starts_with(['.', '/', '#', '~']) || module.starts_with("@/") {
            return true;
        }
        let mut parts = module.split('/');
        let first = parts.next().unwrap_or_default();
        let name = if first.starts_with('@') { parts.next().unwrap_or_default() } else { first };
        let bare = name.split('.').next().unwrap_or_default();
        if module.contains(':') || bare.is_empty() || self.language.entry().tampering.shadowed.contains(&bare)
        {
            return false;
        }
        ["", "packages/"].iter().any(|folder| self.project.contains(&format!("{folder}{bare}")))
    }

    /// Whether a new file with this package, or in this place, brings a name that the project did not have and a library may have.
    pub(super) fn is_taken_for_another(&self, package: Option<&str>) -> bool {
        match self.language.entry().bindings.modules {
            ModuleNames::Dotted => self.is_new_module(),
            ModuleNames::Packages => package.is_some_and(|package| !self.has_package(package)),
            ModuleNames::Specifiers => false,
        }
    }

    /// A module is new where a search for modules begins at its folder and the project had none of its name there.
    fn is_new_module(&self) -> bool {
        let entry = self.language.entry();
        let mut parts: Vec<_> = self.path.without_extension().split('/').collect();
        let is_test = |part: &&str| part.starts_with("test_") || part.ends_with("_test");
        let is_package = parts.len() > 1 && parts.last().copied() == entry.folder_module;
        if is_package {
            parts.pop();
        }
        // A package is found before the file of that name.
        if parts.iter().any(is_test) {
            return true;
        }
        let root_depth = parts.iter().take_while(|part| entry.tampering.roots.contains(part)).count();
        let Some((root, rest)) = parts.split_at_checked(root_depth) else { return false };
        let Some(name) = rest.first() else { return false };
        let folder = |parts: &[&str]| parts.iter().fold(String::new(), |folder, part| folder + part + "/");
        // A module in a folder that is no package may be found there by its name alone.
        let is_shadow = |(name, above): (&&str, &[&str])| {
            let is_package = |file: String| self.project.contains(&file);
            entry.tampering.shadowed.contains(name)
                && !self.package_file(&folder(above)).is_some_and(is_package)
        };
        if parts.split_last().is_some_and(is_shadow) {
            return true;
        }
        let root = folder(root);
        // A folder of the project may have any new file, but for one that makes it a package in place of a library.
        let is_folder = !is_package && rest.len() > 1 && self.project.contains(&format!("{root}{name}"));
        !is_folder && !self.has_module_in(&root, name)
    }
}
