package mcpcompat.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A job as it is played: its session, its steps in rounds, its answer. */
final class Play {

  /** The tool whose call makes a server go to its next stage. */
  private static final String EVOLVE_TOOL = "mcp_compat_evolve";

  /** Longest time from the answer of the call to the SDK's notification of a change. */
  private static final Duration CHANGE_TIMEOUT = Duration.ofMillis(500);

  /**
   * Time for which the answer waits for the session to end. A slower server is waited for after it.
   */
  private static final Duration CLOSE_GRACE = Duration.ofMillis(100);

  /** Longest time for a session to end. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(8);

  private static final ExecutorService THREADS = Executors.newCachedThreadPool();

  private final Client client;
  private final Job job;
  private final Output output;

  Play(Client client, Job job, Output output) {
    this.client = client;
    this.job = job;
    this.output = output;
  }

  /** Plays the job, and answers it. */
  void run() {
    Answer answer = new Answer(job.id());
    Client.Session session;
    try {
      session =
          new Started<>(() -> client.connect(job), job.connectLimit()).get(client::connectError);
    } catch (Failure failure) {
      output.say(answer.error(failure.error).line());
      return;
    }
    answer.negotiated(session.negotiated()).steps(steps(session));
    Future<?> closing = THREADS.submit(session::close);
    boolean gone = ended(closing, CLOSE_GRACE);
    output.say(answer.line());
    if (!gone && !ended(closing, CLOSE_TIMEOUT)) {
      System.err.println("a session of " + job.scenario() + " does not end");
    }
  }

  private List<StepAnswer> steps(Client.Session session) {
    List<StepAnswer> seen = new ArrayList<>();
    Optional<StepAnswer> last = Optional.empty();
    for (List<Job.Step> round : rounds(job.steps())) {
      List<Started<StepAnswer>> started = new ArrayList<>();
      for (Job.Step step : round) {
        Job.Step fed = fed(step, last);
        started.add(new Started<>(() -> take(fed, session), job.stepLimit()));
      }
      for (Started<StepAnswer> step : started) {
        try {
          seen.add(step.get(client::error));
        } catch (Failure failure) {
          seen.add(new StepAnswer.Failed(failure.error));
        }
      }
      if (round.get(0) instanceof Job.Step.Call) {
        last = Optional.of(seen.get(seen.size() - 1));
      }
    }
    return seen;
  }

  private static StepAnswer take(Job.Step step, Client.Session session) throws Exception {
    if (step instanceof Job.Step.Call call) {
      return session.call(call.tool(), call.arguments());
    }
    if (step instanceof Job.Step.Evolve evolve) {
      long before = session.changes().count();
      session.call(EVOLVE_TOOL, Map.of());
      return new StepAnswer.Evolved(
          evolve.told() && session.changes().after(before, CHANGE_TIMEOUT));
    }
    return new StepAnswer.Listed(session.list());
  }

  /** The steps, those that are taken together in one round. */
  private static List<List<Job.Step>> rounds(List<Job.Step> steps) {
    List<List<Job.Step>> rounds = new ArrayList<>();
    for (Job.Step step : steps) {
      boolean together = step instanceof Job.Step.Call call && call.atOnce();
      if (!together || rounds.isEmpty()) {
        rounds.add(new ArrayList<>());
      }
      rounds.get(rounds.size() - 1).add(step);
    }
    return rounds;
  }

  /**
   * The step with what it takes from the value of the call before. What is not there is left out.
   */
  private static Job.Step fed(Job.Step step, Optional<StepAnswer> last) {
    if (step instanceof Job.Step.Call call
        && last.orElse(null) instanceof StepAnswer.Called called
        && called.structured().present()) {
      Object value = called.structured().value();
      call.feed()
          .forEach(
              (into, from) ->
                  Pointer.find(value, from)
                      .ifPresent(found -> Pointer.set(call.arguments(), into, found.value())));
    }
    return step;
  }

  private static boolean ended(Future<?> work, Duration limit) {
    try {
      work.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException late) {
      return false;
    } catch (ExecutionException error) {
      System.err.println("a session ended with " + error.getCause());
      return true;
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Work of an SDK in a thread that is interrupted at its deadline. */
  private static final class Started<T> {

    private final Future<T> work;
    private final Duration limit;
    private final long start = System.nanoTime();

    Started(Callable<T> work, Duration limit) {
      this.work = THREADS.submit(work);
      this.limit = limit;
    }

    /** Its result; {@code error} tells of what it throws. */
    T get(Function<Throwable, PeerError> error) throws Failure {
      try {
        return work.get(limit.toNanos() - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
      } catch (TimeoutException late) {
        work.cancel(true);
        String message = "no answer within " + limit.toMillis() + " ms";
        throw new Failure(new PeerError(PeerError.Layer.TIMEOUT, Optional.empty(), message));
      } catch (ExecutionException thrown) {
        throw new Failure(error.apply(thrown.getCause()));
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new Failure(PeerError.of(PeerError.Layer.TIMEOUT, interrupted));
      }
    }
  }

  /** A step, or a connection, that failed. */
  private static final class Failure extends Exception {

    private static final long serialVersionUID = 1;

    private final transient PeerError error;

    Failure(PeerError error) {
      this.error = error;
    }
  }
}
