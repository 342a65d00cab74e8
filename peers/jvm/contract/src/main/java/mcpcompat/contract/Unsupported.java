package mcpcompat.contract;

/**
 * Refusal of a request that an SDK or its adapter cannot satisfy. The message is the reason in the
 * answer.
 */
public final class Unsupported extends Exception {

  private static final long serialVersionUID = 1;

  /** The exit status that says it of a role, or of a script. */
  private static final int STATUS = 127;

  /** With its reason. */
  public Unsupported(String reason) {
    super(reason);
  }

  /** Ends the process as unsupported, with the reason on stderr. */
  public void exit() {
    System.err.println(getMessage());
    System.exit(STATUS);
  }
}
