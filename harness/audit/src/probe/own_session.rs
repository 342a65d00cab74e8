//! Sessions over HTTP whose id the server that gave it knows at some requests and not at others.

use super::conversation::{Conversation, Opening, Reply, Sent};
use super::session::ServerProbe;
use super::{ProbeError, Target};
use mcp_compat_model::Revision;

/// Requests with one session id, some of which were served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ForgottenSession {
    pub(crate) sent: usize,
    pub(crate) served: usize,
    /// Number of those that were refused with the status.
    pub(crate) refused: usize,
    pub(crate) status: u16,
}

impl ForgottenSession {
    /// Returns true if the status is that of a session that the server does not know.
    pub(crate) fn is_certain(self) -> bool {
        matches!(self.status, 404 | 410)
    }
}

/// Number of requests that are sent. Of three instances behind a balancer, each gets two.
const REQUESTS: usize = 6;

impl ServerProbe {
    /// Opens a session over HTTP and sends requests in it. `None` if all of them are served, or none.
    pub(super) async fn forgotten_session(&self, revision: Revision) -> Result<Option<ForgottenSession>, ProbeError> {
        if !matches!(self.target(), Target::Url { .. }) || self.is_late() {
            return Ok(None);
        }
        Ok(self.converse(revision, Opening::Plain).await?.forgotten().await)
    }
}

impl Conversation<'_> {
    /// Sends the same request again and again, with the session id that the server gave.
    pub(crate) async fn forgotten(&mut self) -> Option<ForgottenSession> {
        self.session_id()?;
        let mut replies = Vec::with_capacity(REQUESTS);
        for id in 0..REQUESTS {
            let sent = Sent::request(&(4000 + id).to_string(), "tools/list", Some(""));
            let received = self.ask(&sent).await;
            replies.push((received.status, received.reply));
            // A server that does not answer would hold up the audit.
            if received.status.is_none() {
                break;
            }
        }
        of_replies(&replies)
    }
}

fn of_replies(replies: &[(Option<u16>, Reply)]) -> Option<ForgottenSession> {
    let served = replies.iter().filter(|(_, reply)| matches!(reply, Reply::Result(_))).count();
    let refused = |status: u16| replies.iter().filter(|(of, _)| *of == Some(status)).count();
    let forgotten = |status| ForgottenSession { sent: replies.len(), served, refused: refused(status), status };
    // A request may fail by chance. A server may ask for authorization or be busy; a gateway before it may fail.
    let is_told = |status: &u16| refused(*status) >= if matches!(status, 404 | 410) { 1 } else { 2 };
    [404, 410, 400, 500].into_iter().find(is_told).filter(|_| served > 0).map(forgotten)
}

#[cfg(test)]
mod tests {
    use mcp_compat_json::Json;

    use super::*;

    fn served() -> (Option<u16>, Reply) {
        (Some(200), Reply::Result(Json::Null))
    }

    fn refused(status: u16) -> (Option<u16>, Reply) {
        (Some(status), Reply::Status(status, String::new()))
    }

    #[test]
    fn an_id_is_forgotten_where_one_request_is_served_and_another_refused() {
        let told = of_replies(&[served(), refused(404), served(), refused(500)]);
        assert_eq!(told, Some(ForgottenSession { sent: 4, served: 2, refused: 1, status: 404 }));
        assert!(told.is_some_and(ForgottenSession::is_certain));
        let told = of_replies(&[served(), refused(500), refused(429), refused(500)]);
        assert_eq!(told, Some(ForgottenSession { sent: 4, served: 1, refused: 2, status: 500 }));
        assert!(!told.is_some_and(ForgottenSession::is_certain));
    }

    #[test]
    fn a_server_that_serves_all_or_none_or_is_busy_forgets_nothing() {
        let once = vec![served(), refused(500), served(), refused(400)];
        for replies in [vec![served(), served()], vec![refused(404), refused(404)], vec![served(), refused(429)], once]
        {
            assert_eq!(of_replies(&replies), None, "{replies:?}");
        }
    }
}
