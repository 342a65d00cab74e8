package mcpcompat.contract;

import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Writes plain Java values as JSON on one line. */
public final class JsonWriter {

  private final StringBuilder out = new StringBuilder();

  private JsonWriter() {}

  /** Writes one value. */
  public static String write(Object value) {
    JsonWriter writer = new JsonWriter();
    writer.value(value);
    return writer.out.toString();
  }

  private void value(Object value) {
    if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Number number) {
      number(number);
    } else if (value instanceof Map<?, ?> map) {
      object(map);
    } else if (value instanceof List<?> list) {
      array(list);
    } else {
      string(value.toString());
    }
  }

  /**
   * Writes a number of an SDK. Infinity is written as one that no double holds; what is
   * no number, as the word that Java has for it.
   */
  private void number(Number number) {
    if (number instanceof Double real && real.isInfinite()) {
      out.append(real > 0 ? "1e999" : "-1e999");
    } else if (number instanceof Double real && real.isNaN()) {
      string(real.toString());
    } else {
      out.append(number);
    }
  }

  private void object(Map<?, ?> map) {
    out.append('{');
    Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<?, ?> entry = entries.next();
      string(entry.getKey().toString());
      out.append(':');
      value(entry.getValue());
      out.append(entries.hasNext() ? "," : "");
    }
    out.append('}');
  }

  private void array(List<?> list) {
    out.append('[');
    Iterator<?> items = list.iterator();
    while (items.hasNext()) {
      value(items.next());
      out.append(items.hasNext() ? "," : "");
    }
    out.append(']');
  }

  /** All but printable ASCII is escaped, so that half of a surrogate pair stays what it is. */
  private void string(String string) {
    out.append('"');
    for (int index = 0; index < string.length(); index++) {
      char next = string.charAt(index);
      if (next == '"' || next == '\\') {
        out.append('\\').append(next);
      } else if (next >= ' ' && next <= '~') {
        out.append(next);
      } else {
        out.append("\\u").append(HexFormat.of().toHexDigits(next));
      }
    }
    out.append('"');
  }
}
