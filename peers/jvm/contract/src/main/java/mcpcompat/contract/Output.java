package mcpcompat.contract;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Standard output, which is for the contract alone. */
final class Output {

  private final PrintStream out =
      new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

  /** Takes standard output; whoever prints to it from now on prints to the log. */
  Output() {
    System.setOut(System.err);
  }

  /** Writes a line. Ends the process when nobody reads it any more. */
  synchronized void say(String line) {
    out.print(line + "\n");
    out.flush();
    if (out.checkError()) {
      Runtime.getRuntime().halt(1);
    }
  }
}
