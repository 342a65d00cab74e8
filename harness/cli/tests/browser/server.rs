//! A server of files as a web host has them: under a folder of its address, and 404 for everything else.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::{fs, thread};

/// Where the site is on the server.
const FOLDER: &str = "/compat/nightly/";

/// Serves the files of a folder until the program ends. Gives the address of the folder.
pub(crate) fn served(folder: &Path) -> String {
    let mut files = BTreeMap::new();
    read(folder, "", &mut files);
    let files = Arc::new(files);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}{FOLDER}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let files = Arc::clone(&files);
            thread::spawn(move || answer(&stream, &files));
        }
    });
    base
}

/// The files below a folder, by their paths with `/`.
pub(crate) fn read(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            read(&path, &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// One request, one answer.
fn answer(stream: &TcpStream, files: &BTreeMap<String, Vec<u8>>) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(request) = lines.next() else { return };
    lines.by_ref().take_while(|line| !line.is_empty()).for_each(drop);
    let path = request.split(' ').nth(1).and_then(|path| path.strip_prefix(FOLDER)).unwrap_or("/nowhere");
    let path = if path.is_empty() { "index.html" } else { path };
    let kind = match path.rsplit('.').next() {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    let (status, body) = match files.get(&plain(path)) {
        Some(body) => ("200 OK", body.as_slice()),
        None => ("404 Not Found", &b"not here"[..]),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // A browser that has gone away wants no answer.
    let mut stream = stream;
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

/// A path without its escapes.
fn plain(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let digits = if byte == b'%' { [rest.next(), rest.next()] } else { [None, None] };
        match digits.map(|digit| digit.and_then(|digit| char::from(digit).to_digit(16))) {
            [Some(high), Some(low)] => bytes.push(u8::try_from(high * 16 + low).unwrap()),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
