package mcpcompat.contract;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The members of a message, each taken by its name and kind.
 *
 * <p>{@link #end} refuses those that nobody took: what an adapter does not know, it must not leave
 * out in silence.
 */
final class Members {

  private final String what;
  private final Map<?, ?> members;
  private final Set<String> taken = new HashSet<>();

  /** The members of an object; {@code what} is its name in reasons. */
  Members(String what, Object object) throws Unsupported {
    if (!(object instanceof Map<?, ?> map)) {
      throw new Unsupported(what + ": expected an object");
    }
    this.what = what;
    this.members = map;
  }

  boolean has(String name) {
    taken.add(name);
    return members.get(name) != null;
  }

  /** Name of the only member of an object, which is the name of its kind. */
  String only() throws Unsupported {
    if (members.size() != 1) {
      throw new Unsupported(what + ": expected one member, found " + members.keySet());
    }
    return members.keySet().iterator().next().toString();
  }

  Object any(String name) throws Unsupported {
    if (!members.containsKey(name)) {
      throw new Unsupported(what + ": there is no `" + name + "`");
    }
    taken.add(name);
    return members.get(name);
  }

  String string(String name) throws Unsupported {
    return kind(String.class, name);
  }

  boolean flag(String name, boolean absent) throws Unsupported {
    return has(name) ? kind(Boolean.class, name) : absent;
  }

  long whole(String name) throws Unsupported {
    return kind(Number.class, name).longValue();
  }

  @SuppressWarnings("unchecked")
  Map<String, Object> object(String name) throws Unsupported {
    return kind(Map.class, name);
  }

  Members members(String name) throws Unsupported {
    return new Members(what + "/" + name, any(name));
  }

  /** The items of a list; none when there is no list. */
  List<?> list(String name) throws Unsupported {
    return has(name) ? kind(List.class, name) : List.of();
  }

  List<String> strings(String name) throws Unsupported {
    List<String> strings = new ArrayList<>();
    for (Object item : list(name)) {
      strings.add(item.toString());
    }
    return strings;
  }

  /** Refuses what was not taken. */
  void end() throws Unsupported {
    for (Object name : members.keySet()) {
      if (!taken.contains(name.toString())) {
        throw new Unsupported(what + ": this adapter does not support `" + name + "`");
      }
    }
  }

  private <T> T kind(Class<T> kind, String name) throws Unsupported {
    Object value = any(name);
    if (!kind.isInstance(value)) {
      throw new Unsupported(what + ": `" + name + "` is no " + kind.getSimpleName());
    }
    return kind.cast(value);
  }
}
