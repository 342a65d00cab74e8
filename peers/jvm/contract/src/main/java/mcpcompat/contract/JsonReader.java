package mcpcompat.contract;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Reads JSON into plain Java values, and says what of it they cannot hold.
 *
 * <p>Integers become the smallest of {@code Integer}, {@code Long} and {@code BigInteger}, all
 * other numbers {@code BigDecimal}: nothing is rounded. What is lost all the same (a key that is
 * there twice, half of a surrogate pair, a number beyond all bounds) is noted in {@link
 * Document#lost}, so that a message is refused with a reason and still answered by its id.
 */
public final class JsonReader {

  /**
   * A JSON text that was read.
   *
   * @param value what it says
   * @param lost the first thing that the value does not keep
   */
  public record Document(Object value, Optional<String> lost) {

    /** The value, if all is kept in it. */
    Object kept() throws Unsupported {
      if (lost.isPresent()) {
        throw new Unsupported(lost.get());
      }
      return value;
    }
  }

  /** As many digits as the SDKs' own parsers take; more would also take a long time to read. */
  private static final int MOST_DIGITS = 1000;

  /** Far more than an SDK's own parser takes, and little enough for the stack. */
  private static final int DEEPEST = 2000;

  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?");

  private final String text;
  private int at;
  private int depth;
  private String lost;

  private JsonReader(String text) {
    this.text = text;
  }

  /**
   * Reads one JSON text.
   *
   * @throws IllegalArgumentException when it is not JSON
   */
  public static Document read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value();
    reader.space();
    if (reader.at < text.length()) {
      throw reader.broken("the end");
    }
    return new Document(value, Optional.ofNullable(reader.lost));
  }

  private Object value() {
    space();
    return switch (peek()) {
      case '{' -> nested(this::object);
      case '[' -> nested(this::array);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Object nested(Supplier<Object> read) {
    if (++depth > DEEPEST) {
      throw new IllegalArgumentException(
          "the JSON is nested more than " + DEEPEST + " levels deep");
    }
    Object value = read.get();
    depth--;
    return value;
  }

  private Map<String, Object> object() {
    Map<String, Object> members = new LinkedHashMap<>();
    at++;
    space();
    if (taken('}')) {
      return members;
    }
    do {
      space();
      String key = string();
      space();
      expect(':');
      if (members.containsKey(key)) {
        lose("a Java Map keeps only one of two keys \"" + key + "\"");
      }
      members.put(key, value());
      space();
    } while (taken(','));
    expect('}');
    return members;
  }

  private List<Object> array() {
    List<Object> items = new ArrayList<>();
    at++;
    space();
    if (taken(']')) {
      return items;
    }
    do {
      items.add(value());
      space();
    } while (taken(','));
    expect(']');
    return items;
  }

  private String string() {
    expect('"');
    String string = plain();
    if (peek() != '"') {
      StringBuilder pieces = new StringBuilder(string);
      while (peek() != '"') {
        at++;
        pieces.append(escaped()).append(plain());
      }
      string = pieces.toString();
    }
    at++;
    if (hasHalfOfAPair(string)) {
      lose("Java cannot encode half of a surrogate pair as UTF-8");
    }
    return string;
  }

  /** The characters up to the next escape or the end of the string. */
  private String plain() {
    int start = at;
    while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') {
      if (text.charAt(at++) < ' ') {
        throw broken("an escaped control character");
      }
    }
    return text.substring(start, at);
  }

  private static boolean hasHalfOfAPair(String string) {
    for (int index = 0; index < string.length(); index++) {
      if (Character.isSurrogate(string.charAt(index))
          && !Character.isSupplementaryCodePoint(string.codePointAt(index++))) {
        return true;
      }
    }
    return false;
  }

  private char escaped() {
    char escape = peek();
    at++;
    return switch (escape) {
      case '"', '\\', '/' -> escape;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        if (at + 4 > text.length()) {
          throw broken("four hexadecimal digits");
        }
        at += 4;
        yield (char) Integer.parseUnsignedInt(text, at - 4, at, 16);
      }
      default -> throw broken("an escape");
    };
  }

  private Number number() {
    int start = at;
    while (at < text.length() && "+-.0123456789Ee".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String lexeme = text.substring(start, at);
    if (lexeme.length() > MOST_DIGITS) {
      lose("the adapter does not read numbers of more than " + MOST_DIGITS + " digits");
      return 0;
    }
    if (!NUMBER.matcher(lexeme).matches()) {
      throw broken("a number");
    }
    try {
      return lexeme.matches("-?[0-9]+") ? integer(lexeme) : new BigDecimal(lexeme);
    } catch (NumberFormatException error) {
      lose("Java cannot represent the number " + lexeme);
      return 0;
    }
  }

  private static Number integer(String lexeme) {
    BigInteger whole = new BigInteger(lexeme);
    if (whole.bitLength() < Integer.SIZE) {
      return whole.intValue();
    }
    return whole.bitLength() < Long.SIZE ? (Number) whole.longValue() : whole;
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw broken("a value");
    }
    at += word.length();
    return value;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw broken("more");
    }
    return text.charAt(at);
  }

  private boolean taken(char expected) {
    boolean there = peek() == expected;
    at += there ? 1 : 0;
    return there;
  }

  private void expect(char expected) {
    if (!taken(expected)) {
      throw broken("'" + expected + "'");
    }
  }

  private void lose(String what) {
    lost = lost == null ? what : lost;
  }

  private IllegalArgumentException broken(String expected) {
    return new IllegalArgumentException("not JSON at character " + at + ": expected " + expected);
  }
}
