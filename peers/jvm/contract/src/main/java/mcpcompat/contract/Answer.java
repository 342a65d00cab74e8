package mcpcompat.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Answer of a client to a job: the members of its line. */
final class Answer {

  private final Map<String, Object> members = new LinkedHashMap<>();

  Answer(long id) {
    members.put("id", id);
    members.put("steps", List.of());
  }

  /** Reason why the job cannot be done at all. */
  Answer unsupported(String reason) {
    members.put("unsupported", reason);
    return this;
  }

  /** Reason why no session came about. */
  Answer error(PeerError error) {
    members.put("error", error.members());
    return this;
  }

  /** The revision that the SDK says it speaks with this server. */
  Answer negotiated(Optional<String> revision) {
    revision.ifPresent(name -> members.put("negotiated", name));
    return this;
  }

  /** Observations of the user of the API, one entry a step. */
  Answer steps(List<StepAnswer> steps) {
    members.put("steps", steps.stream().map(StepAnswer::members).toList());
    return this;
  }

  String line() {
    return JsonWriter.write(members);
  }
}
