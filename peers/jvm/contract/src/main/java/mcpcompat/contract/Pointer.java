package mcpcompat.contract;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** JSON Pointers into plain Java values. */
final class Pointer {

  private Pointer() {}

  /** A value, which may be null. */
  record Found(Object value) {}

  /** Returns the value at a pointer, if there is one. */
  static Optional<Found> find(Object value, String pointer) {
    Object current = value;
    for (String key : keys(pointer)) {
      if (current instanceof Map<?, ?> map && map.containsKey(key)) {
        current = map.get(key);
      } else if (current instanceof List<?> list
          && key.matches("0|[1-9][0-9]{0,8}")
          && Integer.parseInt(key) < list.size()) {
        current = list.get(Integer.parseInt(key));
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(new Found(current));
  }

  /** Sets a member, if the object that it belongs to is there. */
  @SuppressWarnings("unchecked")
  static void set(Object value, String pointer, Object member) {
    int last = pointer.lastIndexOf('/');
    if (last >= 0
        && find(value, pointer.substring(0, last)).orElse(new Found(null)).value()
            instanceof Map<?, ?> parent) {
      ((Map<String, Object>) parent).put(unescaped(pointer.substring(last + 1)), member);
    }
  }

  static String escaped(String key) {
    return key.replace("~", "~0").replace("/", "~1");
  }

  private static String unescaped(String key) {
    return key.replace("~1", "/").replace("~0", "~");
  }

  private static List<String> keys(String pointer) {
    return pointer.isEmpty()
        ? List.of()
        : List.of(pointer.substring(1).split("/", -1)).stream().map(Pointer::unescaped).toList();
  }
}
