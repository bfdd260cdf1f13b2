//! A registry on loopback with one image, as the engine asks for it (Docker Registry HTTP API V2, image manifest V2 schema 2).

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

const MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";

/// Serves an image of this machine as `shop:1`, until the tests end.
pub struct Registry {
    /// Where it listens on 127.0.0.1.
    pub port: u16,
}

/// What is served, by path: its kind and its bytes.
type Pages = BTreeMap<String, (&'static str, Vec<u8>)>;

impl Registry {
    pub fn of(image: &str) -> Self {
        let pages = Arc::new(pages(image));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let pages = Arc::clone(&pages);
                std::thread::spawn(move || answer(stream, &pages));
            }
        });
        Self { port }
    }
}

fn pages(image: &str) -> Pages {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("image.tar");
    let sh = |line: &str| {
        assert!(Command::new("sh").args(["-c", line]).current_dir(folder.path()).status().unwrap().success());
    };
    sh(&format!("docker save {image} -o {} && tar -xf image.tar", archive.display()));
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let saved: Value = serde_json::from_slice(&read("manifest.json")).unwrap();
    let mut pages = Pages::from([("/v2/".to_owned(), ("application/json", b"{}".to_vec()))]);
    let mut blob = |kind: &'static str, bytes: Vec<u8>| {
        let digest = format!("sha256:{}", sha256(&bytes));
        let told = json!({"mediaType": kind, "size": bytes.len(), "digest": digest});
        pages.insert(format!("/v2/shop/blobs/{digest}"), ("application/octet-stream", bytes));
        told
    };
    let config =
        blob("application/vnd.docker.container.image.v1+json", read(saved[0]["Config"].as_str().unwrap()));
    let layers: Vec<Value> = saved[0]["Layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| blob("application/vnd.docker.image.rootfs.diff.tar", read(layer.as_str().unwrap())))
        .collect();
    let manifest =
        json!({"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers}).to_string();
    let digest = format!("sha256:{}", sha256(manifest.as_bytes()));
    for name in ["1", &digest] {
        pages.insert(format!("/v2/shop/manifests/{name}"), (MANIFEST, manifest.clone().into_bytes()));
    }
    pages
}

fn sha256(bytes: &[u8]) -> String {
    let mut child = Command::new("sha256sum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()[..64].to_owned()
}

fn answer(mut stream: TcpStream, pages: &Pages) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    for line in lines.by_ref() {
        if line.map_or(true, |line| line.is_empty()) {
            break;
        }
    }
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let unknown = br#"{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}"#.to_vec();
    let missing = ("application/json", unknown);
    let (status, (kind, bytes)) =
        pages.get(path).map_or(("404 Not Found", &missing), |page| ("200 OK", page));
    let digest = if status.starts_with('2') {
        format!("Docker-Content-Digest: sha256:{}\r\n", sha256(bytes))
    } else {
        String::new()
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{digest}Docker-Distribution-Api-Version: \
         registry/2.0\r\nConnection: close\r\n\r\n",
        bytes.len()
    );
    // The engine hangs up where it has enough.
    let _ = stream.write_all(head.as_bytes());
    if method != "HEAD" {
        let _ = stream.write_all(bytes);
    }
}
