package mcpcompat.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a client says of a job: the members of its line. */
final class Answer {

  private final Map<String, Object> members = new LinkedHashMap<>();

  Answer(long id) {
    members.put("id", id);
    members.put("steps", List.of());
  }

  /** Why the job cannot be done at all. */
  Answer unsupported(String reason) {
    members.put("unsupported", reason);
    return this;
  }

  /** Why no session came about. */
  Answer error(PeerError error) {
    members.put("error", error.members());
    return this;
  }

  /** The revision that the SDK says it speaks with this server. */
  Answer negotiated(Optional<String> revision) {
    revision.ifPresent(name -> members.put("negotiated", name));
    return this;
  }

  /** What the user of the API saw, one entry a step. */
  Answer steps(List<StepAnswer> steps) {
    members.put("steps", steps.stream().map(StepAnswer::members).toList());
    return this;
  }

  String line() {
    return JsonWriter.write(members);
  }
}
