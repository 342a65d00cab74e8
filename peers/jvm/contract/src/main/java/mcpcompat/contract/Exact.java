package mcpcompat.contract;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Comparison of a script's value with the value that an SDK's types give back.
 *
 * <p>Were a script played whose values the types change, the server would be blamed for what its
 * adapter had already lost. So the script is refused with the place of the first change.
 */
public final class Exact {

  private Exact() {}

  /**
   * Holds what an SDK makes of a value against the value.
   *
   * @param what what it is, for the reason
   * @param value what the script says
   * @param written what the SDK writes for it
   * @throws Unsupported when they differ
   */
  public static void same(String what, Object value, String written) throws Unsupported {
    JsonReader.Document held;
    try {
      held = JsonReader.read(written);
    } catch (IllegalArgumentException error) {
      throw new Unsupported(
          "the SDK writes " + what + " as invalid JSON (" + error.getMessage() + ")");
    }
    Optional<String> pointer = difference(value, held.value(), "");
    if (pointer.isPresent()) {
      String place = pointer.get().isEmpty() ? "the whole value" : pointer.get();
      throw new Unsupported("the SDK changes " + place + " in " + what);
    }
  }

  /** The pointer to the first difference, if there is one. */
  static Optional<String> difference(Object left, Object right, String at) {
    if (left instanceof Map<?, ?> one && right instanceof Map<?, ?> other) {
      return inMembers(one, other, at);
    }
    if (left instanceof List<?> one
        && right instanceof List<?> other
        && one.size() == other.size()) {
      return inItems(one, other, at);
    }
    boolean same =
        left instanceof Number one && right instanceof Number other
            ? decimal(one).compareTo(decimal(other)) == 0
            : left == null ? right == null : left.equals(right);
    return same ? Optional.empty() : Optional.of(at);
  }

  private static Optional<String> inMembers(Map<?, ?> one, Map<?, ?> other, String at) {
    TreeSet<String> keys = new TreeSet<>();
    one.keySet().forEach(key -> keys.add(key.toString()));
    other.keySet().forEach(key -> keys.add(key.toString()));
    for (String key : keys) {
      String below = at + "/" + Pointer.escaped(key);
      if (one.containsKey(key) != other.containsKey(key)) {
        return Optional.of(below);
      }
      Optional<String> found = difference(one.get(key), other.get(key), below);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static Optional<String> inItems(List<?> one, List<?> other, String at) {
    for (int index = 0; index < one.size(); index++) {
      Optional<String> found = difference(one.get(index), other.get(index), at + "/" + index);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static BigDecimal decimal(Number number) {
    return number instanceof BigDecimal decimal ? decimal : new BigDecimal(number.toString());
  }
}
