package mcpcompat.langchain4j;

import mcpcompat.contract.ClientLoop;
import mcpcompat.contract.Unsupported;

/** The client of LangChain4j behind the peer contract. */
public final class Main {

  private Main() {}

  /** Plays the role that the arguments name. */
  public static void main(String[] arguments) throws Exception {
    try {
      if (!String.join(" ", arguments).equals("client")) {
        throw new Unsupported("expected `client`: LangChain4j has no server");
      }
      ClientLoop.run(new LangChainClient());
    } catch (Unsupported reason) {
      reason.exit();
    }
  }
}
