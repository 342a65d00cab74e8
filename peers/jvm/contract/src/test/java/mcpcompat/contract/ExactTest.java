package mcpcompat.contract;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Numbers are kept digit for digit, losses are reported, and the place that a type changes is
 * found.
 */
final class ExactTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":[1,-2,3.50,1E+400,123456789012345678901234567890,0.30000000000000000001],\"b\":null}",
        "[true,false,\"\\\"\\\\\\u0001\\ud83d\\ude00\",{},[]]"
      })
  void a_value_is_written_as_it_was_read(String text) {
    JsonReader.Document document = JsonReader.read(text);
    assertEquals(Optional.empty(), document.lost());
    assertEquals(text, JsonWriter.write(document.value()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\":1,\"a\":2}", "[\"\\ud800\"]", "[1e99999999999]"})
  void what_plain_java_loses_is_said(String text) {
    assertTrue(JsonReader.read(text).lost().isPresent());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[1,]", "01", "1.", "+1", "nul", "\"\\x\"", "[1] 2", "\"\n\""})
  void what_is_no_json_is_refused(String text) {
    assertThrows(IllegalArgumentException.class, () -> JsonReader.read(text));
  }

  @Test
  void numbers_are_the_same_by_their_value() {
    Object value = JsonReader.read("[1, 1.0, 100, 9007199254740993]").value();
    assertDoesNotThrow(() -> Exact.same("a value", value, "[1.0,1,1e2,9007199254740993]"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":{\"b\":[1,2]}}",
        "{\"a\":{\"b\":[1,3.0000000000000001]}}",
        "{\"a\":{\"b\":[1,\"3\"]}}"
      })
  void a_change_is_told_by_its_place(String written) {
    Object value = JsonReader.read("{\"a\":{\"b\":[1,3]}}").value();
    Unsupported reason =
        assertThrows(Unsupported.class, () -> Exact.same("a value", value, written));
    assertEquals("the SDK changes /a/b/1 in a value", reason.getMessage());
  }

  @Test
  void a_member_that_is_gone_is_a_change_even_if_it_was_null() {
    Object value = JsonReader.read("{\"a\":null}").value();
    assertThrows(Unsupported.class, () -> Exact.same("a value", value, "{}"));
  }
}
