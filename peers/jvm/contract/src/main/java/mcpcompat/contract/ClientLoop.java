package mcpcompat.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The client's loop: a job a line, each played in a thread of its own, an answer a line. */
public final class ClientLoop {

  private final Client client;
  private final Output output = new Output();

  private ClientLoop(Client client) {
    this.client = client;
  }

  /** Plays jobs until the input ends and every session is closed, and ends the process. */
  public static void run(Client client) throws IOException, InterruptedException {
    ClientLoop loop = new ClientLoop(client);
    ExecutorService jobs = Executors.newCachedThreadPool();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String job = line;
      jobs.execute(() -> loop.take(job));
    }
    jobs.shutdown();
    // Every job has its deadlines.
    jobs.awaitTermination(1, TimeUnit.HOURS);
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    System.exit(0);
  }

  private void take(String line) {
    JsonReader.Document document;
    long id;
    try {
      document = JsonReader.read(line);
      id = new Members("job", document.value()).whole("id");
    } catch (IllegalArgumentException | Unsupported error) {
      System.err.println("a line that is no job: " + error.getMessage());
      return;
    }
    try {
      Job job = Job.of(document.kept());
      client.check(job);
      new Play(client, job, output).run();
    } catch (Unsupported reason) {
      output.say(new Answer(id).unsupported(reason.getMessage()).line());
    }
  }
}
