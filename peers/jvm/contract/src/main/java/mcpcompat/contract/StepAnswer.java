package mcpcompat.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Observation of the user of an SDK's API in one step. */
public sealed interface StepAnswer {

  /** A list of tools. */
  record Listed(List<Tool> tools) implements StepAnswer {}

  /** One tool as the API gives it, with its output schema if there is one. */
  record Tool(String name, Optional<Object> outputSchema) {}

  /** One result as the API gives it. */
  record Called(Structured structured, List<Object> content, boolean isError)
      implements StepAnswer {}

  /** Structured content; {@code present} tells a null from nothing. */
  record Structured(boolean present, Object value) {

    /** The API has a value, which may be null. */
    public static Structured of(Object value) {
      return new Structured(true, value);
    }

    /** The API has none. */
    public static Structured absent() {
      return new Structured(false, null);
    }
  }

  /** The server went to its next stage; {@code seen}: the user of the API was told of it. */
  record Evolved(boolean seen) implements StepAnswer {}

  /** An error that the API raised. */
  record Failed(PeerError error) implements StepAnswer {}

  /** The members of the step's answer on the line. */
  default Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    if (this instanceof Listed listed) {
      members.put("tools", listed.tools().stream().map(StepAnswer::members).toList());
    } else if (this instanceof Called called) {
      members.put("structured", members(called.structured()));
      members.put("content", called.content());
      members.put("is_error", called.isError());
    } else if (this instanceof Evolved evolved) {
      members.put("evolved", evolved.seen());
    } else if (this instanceof Failed failed) {
      members.put("error", failed.error().members());
    }
    return members;
  }

  private static Map<String, Object> members(Tool tool) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("name", tool.name());
    tool.outputSchema().ifPresent(schema -> members.put("output_schema", schema));
    return members;
  }

  private static Map<String, Object> members(Structured structured) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("present", structured.present());
    if (structured.present()) {
      members.put("value", structured.value());
    }
    return members;
  }
}
