//! The quirk `fetches-ref`: fetches what a schema refers to, which no client may do on its own.
//!
//! It fetches over plain HTTP and from loopback only: enough for a scenario to show the request.

use std::net::{IpAddr, Ipv4Addr};

use http::{HeaderMap, Method, Uri};
use http_body_util::{BodyExt as _, Limited};
use serde_json::Value;

use crate::client::http_wire::HttpClient;
use crate::client::schema::Documents;

/// Number of documents that are fetched for a schema, and the length of each.
const DOCUMENTS: usize = 8;
const LENGTH: usize = 1024 * 1024;

/// Fetches the documents that a schema refers to. A document that cannot be fetched is left out.
pub(crate) async fn documents(schema: &str) -> Documents {
    let mut documents = Documents::new();
    let Ok(schema) = serde_json::from_str(schema) else { return documents };
    let mut wanted = Vec::new();
    references(&schema, &mut wanted);
    for address in wanted.into_iter().take(DOCUMENTS) {
        if let Some(document) = fetch(&address).await {
            documents.insert(address, document);
        }
    }
    documents
}

/// The addresses that a schema refers to, without fragments.
fn references(schema: &Value, wanted: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let address = reference.split('#').next().unwrap_or_default();
                if address.starts_with("http://") && !wanted.iter().any(|known| known == address) {
                    wanted.push(address.to_owned());
                }
            }
            members.values().for_each(|member| references(member, wanted));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, wanted)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

async fn fetch(address: &str) -> Option<Value> {
    let uri: Uri = address.parse().ok()?;
    if !is_loopback(uri.host()?) {
        return None;
    }
    let response = HttpClient::new().send(Method::GET, &uri, HeaderMap::new(), Vec::new()).await.ok()?;
    let body = Limited::new(response.into_body(), LENGTH).collect().await.ok()?;
    serde_json::from_slice(&body.to_bytes()).ok()
}

fn is_loopback(host: &str) -> bool {
    let address =
        if host == "localhost" { Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)) } else { host.trim_matches(['[', ']']).parse() };
    address.is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_ever_reached() {
        for (host, reached) in
            [("127.0.0.1", true), ("[::1]", true), ("localhost", true), ("example.com", false), ("10.0.0.1", false)]
        {
            assert_eq!(is_loopback(host), reached, "{host}");
        }
    }
}
