package mcpcompat.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A message that an adapter does not wholly know is refused: it must leave nothing out in silence.
 */
final class MessagesTest {

  private static final String JOB =
      "{\"id\":1,\"scenario\":\"a/b\",\"server\":{\"http\":{\"url\":\"http://127.0.0.1:1/x\"}},"
          + "\"steps\":[STEP],\"deadlines\":{\"connect_ms\":5000,\"step_ms\":2000}}";

  private static final String SCRIPT =
      "{\"scenario\":\"a/b\",\"stages\":[{\"tools\":[{\"name\":\"a\",\"definition\":"
          + "{\"name\":\"a\"},\"reply\":{\"hang\":{}}MORE}]}]}";

  private static Job job(String step) throws Unsupported {
    return Job.of(JsonReader.read(JOB.replace("STEP", step)).value());
  }

  private static Script script(String more) throws Unsupported {
    return Script.of(JsonReader.read(SCRIPT.replace("MORE", more)).value());
  }

  @Test
  void a_call_is_read_with_all_that_hangs_on_it() throws Unsupported {
    Job.Step step =
        job("{\"call\":{\"tool\":\"a\",\"arguments\":{\"n\":1},\"at_once\":true,\"feed\":{\"/u\":\"/id\"}}}")
            .steps()
            .get(0);
    assertEquals(new Job.Step.Call("a", Map.of("n", 1), true, Map.of("/u", "/id")), step);
  }

  @Test
  void a_step_that_no_adapter_knows_is_refused() {
    assertThrows(Unsupported.class, () -> job("{\"probe-that-no-adapter-knows\":{}}"));
  }

  @Test
  void a_member_that_is_not_known_is_refused() {
    assertThrows(Unsupported.class, () -> job("{\"list\":{\"slowly\":true}}"));
  }

  @Test
  void what_an_sdk_leaves_to_nobody_is_refused() throws Unsupported {
    assertEquals(
        List.of(new Script.Reply.Hang()),
        script(",\"before\":[]").stages().get(0).tools().stream().map(Script.Tool::reply).toList());
    for (String more :
        List.of(",\"before\":[\"{}\"]", ",\"without\":[\"content\"]", ",\"answers_after\":\"b\"")) {
      assertThrows(Unsupported.class, () -> script(more), more);
    }
  }

  @Test
  void a_null_is_told_from_nothing() {
    StepAnswer nothing = new StepAnswer.Called(StepAnswer.Structured.absent(), List.of(), false);
    StepAnswer aNull = new StepAnswer.Called(StepAnswer.Structured.of(null), List.of(), false);
    assertEquals(
        List.of(
            "{\"structured\":{\"present\":false},\"content\":[],\"is_error\":false}",
            "{\"structured\":{\"present\":true,\"value\":null},\"content\":[],\"is_error\":false}"),
        List.of(JsonWriter.write(nothing.members()), JsonWriter.write(aNull.members())));
  }

  @Test
  void an_infinite_number_is_written_as_one_that_no_double_holds() {
    List<Object> value =
        List.of(
            Double.POSITIVE_INFINITY,
            Map.of("a", Double.NEGATIVE_INFINITY),
            "Infinity",
            1.5,
            Double.NaN);
    assertEquals("[1e999,{\"a\":-1e999},\"Infinity\",1.5,\"NaN\"]", JsonWriter.write(value));
  }
}
