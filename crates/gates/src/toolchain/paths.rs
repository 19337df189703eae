//! Paths of a project, as text with `/` between names.

pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The folder a path is in, without a slash at its end.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path relative to a folder, without dots. None if it leads out of the project.
pub(crate) fn resolve(folder: &str, relative: &str) -> Option<String> {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    if relative.starts_with('/') || relative.len() > TEXT_MAX {
        return None;
    }
    for name in relative.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    (!names.is_empty()).then(|| names.join("/"))
}

/// Longer texts name no file.
pub(crate) const TEXT_MAX: usize = 256;
