//! A tab: it opens pages, and looks, clicks and types as a person does. It remembers what went wrong in it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::chromium::Chromium;

/// A tab in a context of its own: what pages store in it is gone with it.
pub(crate) struct Tab<'b> {
    browser: &'b mut Chromium,
    context: String,
    session: String,
    /// Where the site is: all its addresses begin so.
    base: String,
    /// What was requested.
    requested: BTreeSet<String>,
    /// What went wrong: errors in the console, what was not there, requests that left.
    wrong: Vec<String>,
}

/// How a page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colours {
    Light,
    Dark,
}

impl<'b> Tab<'b> {
    pub(crate) fn new(browser: &'b mut Chromium, base: &str) -> Self {
        let context = browser.ask(None, "Target.createBrowserContext", json!({})).unwrap()["browserContextId"].take();
        let wanted = json!({"url": "about:blank", "browserContextId": context});
        let target = browser.ask(None, "Target.createTarget", wanted).unwrap()["targetId"].take();
        let attached = browser.ask(None, "Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        let session = text(&attached.unwrap()["sessionId"]);
        let mut tab = Self {
            browser,
            context: text(&context),
            session,
            base: base.to_owned(),
            requested: BTreeSet::new(),
            wrong: Vec::new(),
        };
        for domain in ["Page.enable", "Runtime.enable", "Network.enable", "Log.enable"] {
            tab.ask(domain, json!({}));
        }
        tab.ask("Page.setLifecycleEventsEnabled", json!({"enabled": true}));
        tab.size(1280, 900);
        tab
    }

    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let answer =
            self.browser.ask(Some(&self.session), method, parameters).unwrap_or_else(|error| panic!("{error}"));
        for event in self.browser.events(&self.session) {
            self.note(&event);
        }
        answer
    }

    /// Opens a page of the site and waits until it has loaded. The page may have a `#` and what follows.
    pub(crate) fn open(&mut self, page: &str) {
        let url = format!("{}{page}", self.base);
        let went = self.browser.ask(Some(&self.session), "Page.navigate", json!({"url": url})).unwrap();
        assert!(went["errorText"].is_null(), "{url}: {}", went["errorText"]);
        // Without a loader, only what follows the `#` has changed.
        while went["loaderId"].is_string() {
            let event = self.browser.event(&self.session);
            self.note(&event);
            let told = &event["params"];
            if event["method"] == "Page.lifecycleEvent"
                && told["name"] == "load"
                && told["loaderId"] == went["loaderId"]
            {
                break;
            }
        }
    }

    /// Opens a page as a link that came by mail does: no page of the site was open before.
    pub(crate) fn open_cold(&mut self, page: &str) {
        self.browser.ask(Some(&self.session), "Page.navigate", json!({"url": "about:blank"})).unwrap();
        self.open(page);
    }

    /// What an expression gives in the page.
    pub(crate) fn look(&mut self, expression: &str) -> Value {
        self.try_look(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_look(&mut self, expression: &str) -> Result<Value, String> {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = self.browser.ask(Some(&self.session), "Runtime.evaluate", asked)?;
        for event in self.browser.events(&self.session) {
            self.note(&event);
        }
        let thrown = &answer["exceptionDetails"];
        if thrown.is_null() {
            return Ok(answer["result"]["value"].take());
        }
        Err(format!("{} {}", thrown["text"], thrown["exception"]["description"]))
    }

    /// The text of an element as it is shown, or nothing if there is no such element.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        text(&self.look(&format!("document.querySelector({})?.innerText ?? ''", json!(selector))))
    }

    /// Waits until an expression holds. It is looked at whenever the page changes.
    pub(crate) fn until(&mut self, expression: &str) {
        let waiting = format!(
            "new Promise((done, failed) => {{
                let last = 'it does not hold';
                const look = () => {{ try {{ if ({expression}) done(true); }} catch (error) {{ last = error; }} }};
                look();
                const parts = {{subtree: true, childList: true, attributes: true, characterData: true}};
                new MutationObserver(look).observe(document, parts);
                for (const name of ['hashchange', 'load', 'focusin']) addEventListener(name, look);
                setTimeout(() => failed(new Error(last + ': ' + document.body?.innerText.slice(0, 300))), 20000);
            }})"
        );
        loop {
            match self.try_look(&waiting) {
                Ok(_) => return,
                // The page is being replaced by the one that a link leads to.
                Err(error) if error.contains("navigated") || error.contains("context") => {}
                Err(error) => panic!("{expression}: {error}"),
            }
        }
    }

    /// Clicks the middle of an element with the mouse. It has to be on top there.
    pub(crate) fn click(&mut self, selector: &str) {
        let found = self.look(&format!(
            "(() => {{
                const element = document.querySelector({selector});
                if (!element) return 'there is none';
                element.scrollIntoView({{block: 'center', inline: 'center', behavior: 'instant'}});
                const box = element.getClientRects()[0];
                if (!box) return 'it is not shown';
                const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
                const top = document.elementFromPoint(x, y);
                return element.contains(top) ? [x, y] : 'it is covered by ' + top?.outerHTML.slice(0, 80);
            }})()",
            selector = json!(selector)
        ));
        assert!(found.is_array(), "{selector} cannot be clicked: {found}");
        for kind in ["mousePressed", "mouseReleased"] {
            let what = json!({"type": kind, "x": found[0], "y": found[1], "button": "left", "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", what);
        }
    }

    /// Presses a key: `Tab`, `Enter`, `ArrowDown` and so on.
    pub(crate) fn press(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => panic!("{key}: a key without a code"),
        };
        let mut down = json!({"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code});
        if key == "Enter" {
            down["text"] = "\r".into();
        }
        self.ask("Input.dispatchKeyEvent", down);
        let up = json!({"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code});
        self.ask("Input.dispatchKeyEvent", up);
    }

    /// Types into what has the focus.
    pub(crate) fn type_in(&mut self, words: &str) {
        self.ask("Input.insertText", json!({"text": words}));
    }

    pub(crate) fn size(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.ask("Emulation.setDeviceMetricsOverride", size);
    }

    pub(crate) fn colours(&mut self, colours: Colours) {
        let value = if colours == Colours::Dark { "dark" } else { "light" };
        // Without motion: a colour that is on its way is measured by nobody.
        let motion = json!({"name": "prefers-reduced-motion", "value": "reduce"});
        let features = json!([{"name": "prefers-color-scheme", "value": value}, motion]);
        self.ask("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// The addresses that were requested.
    pub(crate) fn requested(&self) -> &BTreeSet<String> {
        &self.requested
    }

    /// Leaves the tab.
    ///
    /// # Panics
    /// If anything went wrong in it.
    pub(crate) fn leave(mut self) {
        self.look("0");
        self.browser.ask(None, "Target.disposeBrowserContext", json!({"browserContextId": self.context})).unwrap();
        assert!(self.wrong.is_empty(), "{:#?}", self.wrong);
    }

    fn note(&mut self, event: &Value) {
        let told = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => {
                let url = text(&told["request"]["url"]);
                if !url.starts_with(&self.base) && !url.starts_with("data:") && url != "about:blank" {
                    self.wrong.push(format!("a request that leaves: {url}"));
                }
                self.requested.insert(url);
            }
            "Network.responseReceived" if told["response"]["status"].as_u64() >= Some(400) => {
                self.wrong.push(format!("{}: {}", told["response"]["status"], told["response"]["url"]));
            }
            "Network.loadingFailed" if told["canceled"] != true => {
                self.wrong.push(format!("a request failed: {}", told["errorText"]));
            }
            "Runtime.exceptionThrown" => {
                self.wrong.push(told["exceptionDetails"]["exception"]["description"].to_string())
            }
            "Runtime.consoleAPICalled" if told["type"] == "error" || told["type"] == "warning" => {
                self.wrong.push(told["args"].to_string());
            }
            "Log.entryAdded" if told["entry"]["level"] == "error" || told["entry"]["level"] == "warning" => {
                self.wrong.push(format!("{}: {}", told["entry"]["url"], told["entry"]["text"]));
            }
            "Page.javascriptDialogOpening" => panic!("a page opened a dialogue: {}", told["message"]),
            _ => {}
        }
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}
