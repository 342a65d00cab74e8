//! Cells per second, by transport, and how the cost grows with their number.
//!
//! `cargo bench -p mcp-compat` prints the throughput of each; a cell is played, judged and recorded.

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use mcp_compat_model::{Cell, Transport};
use mcp_compat_run::environment::DEFAULT_PEER_MEMORY;
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Plan;
use mcp_compat_run::programs::Programs;
use mcp_compat_run::run::{IsKnown, Run, run};
use mcp_compat_run::timeouts::Timeouts;
use mcp_compat_scenario::Scenario;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// `cells` cells between the reference peers, the scenarios of the corpus in turn.
fn request(corpus: &[Arc<Scenario>], peers: &PeerSet, transport: Transport, cells: usize) -> Run {
    let client = peers.clients.iter().find(|peer| peer.id().as_str() == "mock/dual+auto");
    let server = peers.servers.iter().find(|peer| peer.id().as_str() == "mock/dual");
    let (Some(client), Some(server)) = (client, server) else {
        unreachable!("the reference peers are among the mocks")
    };
    let cell = |scenario: &Arc<Scenario>| Cell {
        scenario: scenario.id.clone(),
        client: client.id().clone(),
        server: server.id().clone(),
        transport,
    };
    Run {
        plan: Plan {
            cells: corpus.iter().cycle().take(cells).map(cell).collect(),
            left_out: Vec::new(),
            division: None,
        },
        scenarios: corpus.to_vec(),
        clients: vec![client.clone()],
        servers: vec![server.clone()],
        timeouts: Timeouts::default(),
        jobs: 4,
        started: String::new(),
        programs: Programs::None,
        logs: None,
        peer_memory: DEFAULT_PEER_MEMORY,
        is_known: IsKnown::default(),
    }
}

fn cells(criterion: &mut Criterion) {
    let Ok(runtime) = Runtime::new() else { return };
    let Ok(corpus) = mcp_compat_scenario::corpus::load() else { return };
    let corpus: Vec<_> = corpus.into_iter().map(Arc::new).collect();
    let peers = PeerSet::mocks();
    let mut play = |name: &str, transport, counts: &[usize]| {
        let mut group = criterion.benchmark_group(name);
        group.sampling_mode(SamplingMode::Flat).sample_size(10).measurement_time(Duration::from_secs(10));
        for &count in counts {
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
                bencher.to_async(&runtime).iter(|| async {
                    let stop = CancellationToken::new();
                    run(request(&corpus, &peers, transport, count), &mut [], stop).await
                });
            });
        }
        group.finish();
    };
    play("memory", Transport::Memory, &[1_000, 10_000]);
    play("http", Transport::Http, &[1_000]);
    play("stdio in process", Transport::Stdio, &[1_000]);
}

criterion_group!(benches, cells);
criterion_main!(benches);
