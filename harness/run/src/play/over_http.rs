//! Cells over HTTP: the server has a path of its own, and the recording proxy stands before it.

use mcp_compat_drive::{AdapterFailure, CommandEnd, HostFailure, run_client};
use mcp_compat_mocks::client::play_http;
use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::peer_contract::{Answer, Script, ServerAddress};

use super::attempt::{Attempt, RECORDED, harness_failed, unplayable};
use crate::black_box::{self, ClientCommand, ServerPlace};
use crate::in_process::ServerAt;
use crate::observe::{adapter_failed, answered, ended, hosting_failed, without_address};
use crate::peer::{ClientStart, ServerStart};

impl Attempt<'_> {
    pub(super) async fn over_http(&self) -> Observation {
        match self.server.start() {
            ServerStart::Mock(server) => {
                let compiled_script = match self.compiled_script(server) {
                    Ok(compiled_script) => compiled_script,
                    Err(observation) => return observation,
                };
                let path = self.environment.fresh_path();
                let servers = match self.environment.mock_servers().await {
                    Ok(servers) => servers,
                    Err(error) => return harness_failed(error.to_string()),
                };
                if let Err(error) = servers.host_compiled(&path, compiled_script) {
                    return harness_failed(error.to_string());
                }
                let observation = self.through_proxy(&format!("{}{path}", servers.base_url())).await;
                servers.unhost(&path);
                observation
            }
            ServerStart::Adapter { http: Some(_), .. } => {
                let adapter = match &self.started.server {
                    Some(Ok(adapter)) => adapter,
                    Some(Err(failure)) => return adapter_failed(Role::Server, failure),
                    None => return unplayable("the server has not been started"),
                };
                let path = self.environment.fresh_path();
                let script = Script::clone(&self.script);
                let url = match adapter.host(&path, script, self.timeouts.step).await {
                    Ok(url) => url,
                    Err(failure) => {
                        if matches!(failure, HostFailure::Unsupported { .. }) {
                            self.adapters.answered(self.server.id()).await;
                        }
                        // Whoever does not answer now answers no other cell either.
                        if let HostFailure::Adapter(why @ AdapterFailure::TimedOut { .. }) = &failure {
                            self.adapters.abandon(self.server.id(), adapter, why).await;
                        }
                        self.lose_if(!adapter.is_alive());
                        return hosting_failed(&failure);
                    }
                };
                self.adapters.answered(self.server.id()).await;
                let observation = self.through_proxy(&url).await;
                match adapter.unhost(&path, self.timeouts.step).await {
                    Ok(()) => {}
                    Err(failure) if !adapter.is_alive() => {
                        self.lose_if(true);
                        return ended(End::Crashed { who: Role::Server, how: failure.to_string() });
                    }
                    Err(failure) => tracing::debug!(%failure, "a server adapter does not let go of a script"),
                }
                observation
            }
            ServerStart::Adapter { http: None, .. } | ServerStart::InProcess(_) | ServerStart::Recorded => {
                unplayable("the server has no HTTP command")
            }
        }
    }

    async fn through_proxy(&self, upstream: &str) -> Observation {
        let proxy = match self.environment.proxy().await {
            Ok(proxy) => proxy,
            Err(error) => return harness_failed(error.to_string()),
        };
        let route = match proxy.route(upstream, self.tap.clone()) {
            Ok(route) => route,
            Err(error) => return harness_failed(error.to_string()),
        };
        match self.client.start() {
            ClientStart::Mock(client) => {
                let play = play_http(client, &self.environment.http, route.url(), &self.steps, self.deadlines());
                answered(play.await.unwrap_or_else(Answer::from), self.steps.len())
            }
            ClientStart::Adapter(_) => {
                let seen = self.job(ServerAddress::Http { url: route.url().to_owned() }).await;
                without_address(seen, route.url())
            }
            ClientStart::BlackBox(command) => self.command(command, ServerPlace::Url(route.url())).await,
            ClientStart::Recorded => unplayable(RECORDED),
            ClientStart::InProcess(client) => {
                let seen = self.own_client(client, ServerAt::Url(route.url().to_owned())).await;
                without_address(seen, route.url())
            }
        }
    }

    /// Runs a client that is only a command to its end. What it saw is made out once the whole wire is known.
    pub(super) async fn command(&self, command: &ClientCommand, server: ServerPlace<'_>) -> Observation {
        let launch = command.launch(server, self.server.offered().max());
        let launch = self.environment.logged(self.client.id(), Role::Client, &launch);
        match run_client(&launch, &self.tap, self.timeouts.cell(self.steps.len())).await {
            Ok(end) => {
                // The address, or the token, is another one in every run.
                let plain = |text: &str| match server {
                    ServerPlace::Url(url) => text.replace(url, black_box::URL),
                    ServerPlace::Command(words) => {
                        words.last().map_or_else(|| text.to_owned(), |token| text.replace(token, black_box::SERVER))
                    }
                };
                let (words, output) = (plain(&end.words), plain(&end.output));
                let _ = self.command.set(CommandEnd { words, output, ..end });
                ended(End::Answered {})
            }
            Err(error) => ended(End::NotStarted { who: Role::Client, why: error.to_string() }),
        }
    }
}
