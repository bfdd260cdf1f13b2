//! What classes extend.

use std::rc::Rc;
use std::slice::from_ref;

use super::files::{Files, Member};
use super::homes;

/// Files that are looked through for one superclass.
const LOOKED_THROUGH: usize = 300;

/// Classes that one test class may extend, all together.
const LINEAGE: usize = 12;

impl Files<'_> {
    /// A class and all that it extends within the project, nearest first.
    pub fn lineage(&self, first: Member) -> Vec<Member> {
        let mut lineage = vec![first];
        let mut next = 0;
        while let Some(member) = lineage.get(next).cloned() {
            next += 1;
            for name in &member.class.supers {
                let Some(found) = self.superclass(&member, name) else { continue };
                let known = lineage.iter().any(|known| {
                    known.file.path == found.file.path && known.class.qualified == found.class.qualified
                });
                if !known && lineage.len() < LINEAGE {
                    lineage.push(found);
                }
            }
        }
        lineage
    }

    /// The class of this name as the file of `member` would see it.
    fn superclass(&self, member: &Member, name: &str) -> Option<Member> {
        let file = &member.file;
        let written: Vec<String> = name.split('.').map(str::to_owned).collect();
        let own = file.classes(&written).into_iter().find(|class| class.qualified != member.class.qualified);
        if let Some(class) = own {
            return Some(Member { file: Rc::clone(file), class: class.clone() });
        }
        let simple = written.last()?;
        homes::likely(file, &self.all, name).into_iter().take(LOOKED_THROUGH).find_map(|path| {
            let loaded = self.declaring([path], simple).pop()?;
            let class = loaded.classes(from_ref(simple)).into_iter().next().cloned()?;
            homes::visible(file, &loaded).then_some(Member { file: loaded, class })
        })
    }
}
