//! An inventory, as an MCP server: three tools, of which one breaks clients of the time before 2026-07-28.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{Json, ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that is kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Its number on the shelf.
    sku: String,
    /// How many of it there are.
    count: u32,
}

/// Which item is meant.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Wanted {
    /// The number on the shelf.
    sku: String,
}

/// What the whole inventory comes to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Total {
    items: usize,
    pieces: u32,
}

/// All items: an array, which only clients of 2026-07-28 take at the root of a result.
#[cfg(not(feature = "mended"))]
pub type Listing = Vec<Item>;

/// All items: an object, which every client takes.
#[cfg(feature = "mended")]
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listing {
    items: Vec<Item>,
}

#[cfg(feature = "mended")]
impl From<Vec<Item>> for Listing {
    fn from(items: Vec<Item>) -> Self {
        Self { items }
    }
}

/// The server.
#[derive(Clone, Debug, Default)]
pub struct Inventory;

fn items() -> Vec<Item> {
    [("A-1", 3), ("B-7", 12)].map(|(sku, count)| Item { sku: sku.to_owned(), count }).into()
}

#[tool_router]
impl Inventory {
    /// Lists all items.
    #[tool(annotations(read_only_hint = true))]
    async fn list_items(&self) -> Json<Listing> {
        #[allow(clippy::useless_conversion, reason = "it is one where the listing is an object")]
        Json(items().into())
    }

    /// Finds an item by its number.
    #[tool(annotations(read_only_hint = true))]
    async fn find_item(&self, Parameters(Wanted { sku }): Parameters<Wanted>) -> Result<Json<Item>, String> {
        let found = items().into_iter().find(|item| item.sku == sku);
        found.map(Json).ok_or_else(|| format!("there is no item {sku}"))
    }

    /// Counts everything.
    #[tool(annotations(read_only_hint = true))]
    async fn count_items(&self) -> Json<Total> {
        let items = items();
        Json(Total { items: items.len(), pieces: items.iter().map(|item| item.count).sum() })
    }
}

#[tool_handler(name = "inventory", version = "0.1.0")]
impl ServerHandler for Inventory {}
