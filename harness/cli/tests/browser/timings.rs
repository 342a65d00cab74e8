//! How long a page of a whole fleet takes in the browser, against the budgets. It measures and prints; it does not judge.
//!
//! ```sh
//! cargo run --release -p mcp-compat-reports --example speed -- /tmp/fleet
//! MCP_COMPAT_SITE=/tmp/fleet cargo test -p mcp-compat-cli --test browser -- --ignored --nocapture timings
//! ```

use std::env;

use crate::chromium::with_browser;
use crate::tab::Tab;

/// Names the folder of a site.
const SITE: &str = "MCP_COMPAT_SITE";

/// How often each is measured.
const TIMES: usize = 5;

#[test]
#[ignore = "a benchmark: it needs the site of a fleet"]
fn timings() {
    let Some(folder) = env::var_os(SITE) else { panic!("{SITE} names no folder of a site") };
    with_browser(|browser| {
        let mut tab = Tab::new(browser, &format!("file://{}/", folder.to_string_lossy()));
        tab.open("matrix.html");
        tab.until("document.querySelector('#found')?.textContent");
        let cells = tab.look("Run.open(RUN).then(run => run.cells)");
        eprintln!("{cells} cells; the least and the most of {TIMES}, in milliseconds");

        let paint = "new Promise((done, failed) => {
            new PerformanceObserver((seen) => seen.getEntriesByName('first-contentful-paint').forEach((paint) => done(paint.startTime)))
                .observe({type: 'paint', buffered: true});
            setTimeout(() => failed(new Error('nothing was painted')), 20000);
        })";
        let first = |tab: &mut Tab<'_>, what: &str, page: &str, ready: &str, look: &str| {
            let mut taken = Vec::new();
            for _ in 0..TIMES {
                tab.open_cold(page);
                tab.until(ready);
                taken.extend(tab.look(look).as_f64());
            }
            told(what, taken);
        };
        first(&mut tab, "first content of the first page", "index.html", "true", paint);
        first(&mut tab, "first content of the matrix", "matrix.html", "true", paint);
        let found = "document.querySelector('#found')?.textContent";
        first(&mut tab, "the matrix with its filter, cold", "matrix.html", found, "performance.now()");
        let id = tab.look("Run.open(RUN).then(run => run.idOf(run.cells >> 1))");
        let cold = format!("pair.html#cell={}", id.as_str().unwrap());
        let wire = "document.querySelector('#app .wire .msg')";
        first(&mut tab, "a cell, cold", &cold, wire, "performance.now()");

        tab.open_cold("matrix.html");
        tab.until("document.querySelector('#found')?.textContent");
        for query in ["rating:breaks", "client:typescript@* -is:silent", "cause:*output-schema*", "scenario:class-1*"] {
            let filter = format!(
                "Run.open(RUN).then(run => {{ const at = performance.now(); Query.select('{query}', run.table()); return performance.now() - at; }})"
            );
            measure(&mut tab, &format!("filter {query}"), &filter);
            // From the key to the picture, without the 80 ms in which the page waits for further keys.
            let drawn = format!(
                "new Promise(done => {{
                    const input = document.querySelector('#q');
                    const found = document.querySelector('#found');
                    input.value = '{query} ' + ' '.repeat(Math.random() * 9);
                    found.textContent = '';
                    const at = performance.now();
                    new MutationObserver((_, watch) => {{
                        watch.disconnect();
                        requestAnimationFrame(() => setTimeout(() => done(performance.now() - at - 80)));
                    }}).observe(found, {{childList: true}});
                    input.dispatchEvent(new Event('input'));
                }})"
            );
            measure(&mut tab, &format!("filter and draw {query}"), &drawn);
        }

        tab.open_cold(&cold);
        tab.until("document.querySelector('#app .wire .msg')");
        let next = "Run.open(RUN).then(run => new Promise(done => {
            const id = run.idOf(Math.floor(Math.random() * run.cells));
            const title = document.title;
            const at = performance.now();
            new MutationObserver((_, watch) => {
                if (document.title === title || !document.querySelector('#app .wire')) return;
                watch.disconnect();
                done(performance.now() - at);
            }).observe(document.querySelector('#app'), {childList: true});
            location.hash = 'cell=' + id;
        }))";
        measure(&mut tab, "open another cell, with what it needs from the disk", next);
        tab.leave();
    });
}

fn measure(tab: &mut Tab<'_>, what: &str, expression: &str) {
    let taken = (0..TIMES).filter_map(|_| tab.look(expression).as_f64()).collect();
    told(what, taken);
}

fn told(what: &str, mut taken: Vec<f64>) {
    taken.sort_by(f64::total_cmp);
    let (least, most) = (taken.first().unwrap(), taken.last().unwrap());
    eprintln!("{least:8.1} {most:8.1}  {what}");
}
