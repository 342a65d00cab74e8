//! The HTTP server's loop: a script a line, each served at its own path of one listener.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::offer::Process;
use crate::script::Script;
use crate::server::{Body, Endpoint, HttpService, Server};
use crate::{exact, say};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hosting {
    id: u64,
    path: String,
    #[serde(default)]
    script: Option<Script>,
}

#[derive(Serialize)]
struct Hosted {
    id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    unsupported: Option<String>,
}

type Paths<S> = Arc<RwLock<HashMap<String, Endpoint<S>>>>;

/// Serves scripts until the input ends.
///
/// # Errors
/// When nothing can be bound on loopback.
pub(crate) async fn serve<S: Server>() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let paths = Paths::<S::Http>::default();
    tokio::spawn(accept(listener, paths.clone()));

    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        match exact::read::<Hosting>(&line) {
            Ok(Hosting { id, path, script }) => {
                let made = script.map(|script| S::new(&script, Process::OfManySessions)).transpose();
                let (endpoint, unsupported) = match made {
                    Ok(server) => (server.map(S::over_http), None),
                    Err(reason) => (None, Some(reason)),
                };
                replace(&paths, path, endpoint);
                say(&Hosted { id, unsupported });
            }
            Err(reason) => match exact::id(&line) {
                Some(id) => say(&Hosted { id, unsupported: Some(reason) }),
                None => eprintln!("a line that is no hosting: {reason}"),
            },
        }
    }
    Ok(())
}

fn replace<S>(paths: &Paths<S>, path: String, endpoint: Option<Endpoint<S>>) {
    let mut paths = paths.write().unwrap_or_else(PoisonError::into_inner);
    let former = match endpoint {
        Some(endpoint) => paths.insert(path, endpoint),
        None => paths.remove(&path),
    };
    if let Some(former) = former {
        former.stop.cancel();
    }
}

async fn accept<S: HttpService>(listener: TcpListener, paths: Paths<S>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(connection(stream, paths.clone()))),
            Err(error) => {
                eprintln!("accept: {error}");
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
        }
    }
}

async fn connection<S: HttpService>(stream: TcpStream, paths: Paths<S>) {
    // Small events must not wait for one another's acknowledgement.
    let _ = stream.set_nodelay(true);
    let route = service_fn(move |request: Request<Incoming>| {
        let endpoint = paths.read().unwrap_or_else(PoisonError::into_inner).get(request.uri().path()).cloned();
        async move {
            match endpoint {
                Some(mut endpoint) => endpoint.service.call(request).await,
                None => Ok(nothing_here()),
            }
        }
    });
    // A client that leaves before its answer is complete is an everyday thing, and its own account tells of it.
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), route).await;
}

fn nothing_here() -> Response<Body> {
    let mut response = Response::new(Empty::new().boxed());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}
