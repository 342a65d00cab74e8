//! What the program says if it is called without a command.

use crate::exit::Exit;
use crate::output::println;

const WELCOME: &str = "\
mcp-compat finds which MCP clients and servers break each other on structured
tool output, and says why and who has to fix it.

  mcp-compat audit -- node my-server.js   which clients does my server break?
  mcp-compat init                         test the server in this folder
  mcp-compat run                          play the corpus, print the matrix

More: `mcp-compat --help` lists the commands.";

pub(crate) fn execute() -> Exit {
    println!("{WELCOME}");
    Exit::Success
}
