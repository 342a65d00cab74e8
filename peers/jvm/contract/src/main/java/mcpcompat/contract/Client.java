package mcpcompat.contract;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * An SDK's client, as the loop asks it.
 *
 * <p>All that is asked may block: it is asked in a thread of its own, which is interrupted when the
 * time is over.
 */
public interface Client {

  /** Refuses a job that this SDK cannot play. */
  void check(Job job) throws Unsupported;

  /** Opens a session. What it has started when it fails, it ends. */
  Session connect(Job job) throws Exception;

  /** Reason why no session came about. */
  PeerError connectError(Throwable thrown);

  /** Classifies an error of a request by the layer of the client in which it arose. */
  PeerError error(Throwable thrown);

  /** A session, as the user of the SDK's public API has it. */
  interface Session {

    /** The revision that the SDK says it speaks. */
    Optional<String> negotiated();

    /** Lists all tools, following the pages. */
    List<StepAnswer.Tool> list() throws Exception;

    /** Calls a tool. */
    StepAnswer.Called call(String tool, Map<String, Object> arguments) throws Exception;

    /** The changes of tools that the SDK has told its user of. */
    Changes changes();

    /** Ends the session, and its server where that is a subprocess. */
    void close();
  }

  /** Counts the changes of tools that an SDK tells of. */
  final class Changes {

    private long count;

    /** One more; for the SDK's handler. */
    public synchronized void tell() {
      count++;
      notifyAll();
    }

    synchronized long count() {
      return count;
    }

    /** Waits for more than {@code before}; says whether they came. */
    synchronized boolean after(long before, Duration limit) throws InterruptedException {
      long end = System.nanoTime() + limit.toNanos();
      while (count <= before) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          return false;
        }
        wait(left);
      }
      return true;
    }
  }
}
