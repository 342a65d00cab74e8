// Comparison of JSON text with the value that an SDK's type makes of it.

package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Same reports whether an SDK's value gives back exactly the JSON that it was made of.
//
// An SDK whose types drop a member or round a number cannot send it. Were such a script played all the same, the server
// would be blamed for a value that its adapter had already changed: so the error says where, and is the reason to
// answer "unsupported". encoding/json cannot be the judge of that, for it keeps one of two equal keys and puts U+FFFD
// in the place of half a surrogate pair. Numbers are compared by their value, members without regard to their order.
func Same(what string, said json.RawMessage, held any) error {
	back, err := json.Marshal(held)
	if err != nil {
		return fmt.Errorf("the SDK cannot represent %s (%w)", what, err)
	}
	if !json.Valid(said) {
		return fmt.Errorf("%s is not valid JSON", what)
	}
	if at, differ := difference(parse(said), parse(back), ""); differ {
		if at == "" {
			at = "the whole value"
		}
		return fmt.Errorf("the SDK changes %s in %s", at, what)
	}
	return nil
}

// Typed makes a value of an SDK's type, if that type holds all of it.
func Typed[T any](what string, said json.RawMessage) (T, error) {
	var value T
	if err := json.Unmarshal(said, &value); err != nil {
		return value, fmt.Errorf("the SDK cannot represent %s (%w)", what, err)
	}
	return value, Same(what, said, value)
}

// Alike reports whether two texts are the same JSON.
func Alike(one, other []byte) bool {
	if !json.Valid(one) || !json.Valid(other) {
		return false
	}
	_, differ := difference(parse(one), parse(other), "")
	return !differ
}

// A node is one JSON value: an array, an object, a string, or the lexeme of anything else.
type node struct {
	kind    byte // '[', '{', '"', or 0 for a lexeme
	text    string
	units   []uint16
	items   []node
	members []member // sorted by key; equal keys stay in their order
}

type member struct {
	key   []uint16
	value node
}

// difference is the pointer to the first difference.
func difference(one, other node, at string) (string, bool) {
	if one.kind != other.kind || len(one.items) != len(other.items) {
		return at, true
	}
	switch one.kind {
	case '[':
		for i := range one.items {
			if at, differ := difference(one.items[i], other.items[i], at+"/"+strconv.Itoa(i)); differ {
				return at, true
			}
		}
		return "", false
	case '{':
		for i := range max(len(one.members), len(other.members)) {
			if i == len(one.members) || i == len(other.members) || !slices.Equal(one.members[i].key, other.members[i].key) {
				return at + "/" + string(utf16.Decode(firstAlone(one.members, other.members, i))), true
			}
			here := at + "/" + string(utf16.Decode(one.members[i].key))
			if at, differ := difference(one.members[i].value, other.members[i].value, here); differ {
				return at, true
			}
		}
		return "", false
	case '"':
		return at, !slices.Equal(one.units, other.units)
	default:
		return at, one.text != other.text && !sameNumber(one.text, other.text)
	}
}

// firstAlone is the key at which two sorted lists of members part.
func firstAlone(one, other []member, at int) []uint16 {
	if at == len(other) || at < len(one) && slices.Compare(one[at].key, other[at].key) < 0 {
		return one[at].key
	}
	return other[at].key
}

// sameNumber compares two numbers by their mathematical value. Other lexemes are equal only to themselves.
func sameNumber(one, other string) bool {
	a, oneOK := decimalOf(one)
	b, otherOK := decimalOf(other)
	return oneOK && otherOK && a == b
}

// A decimal in one normal form: sign, digits without outer zeros, and the power of ten of the last one.
type decimal struct {
	negative bool
	digits   string
	power    int64
}

func decimalOf(lexeme string) (decimal, bool) {
	mantissa, exponent := lexeme, "0"
	if at := strings.IndexAny(lexeme, "eE"); at >= 0 {
		mantissa, exponent = lexeme[:at], lexeme[at+1:]
	}
	power, err := strconv.ParseInt(exponent, 10, 64)
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if err != nil || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return decimal{}, false
	}
	significant := strings.TrimRight(digits, "0")
	power += int64(len(digits)-len(significant)) - int64(len(fraction))
	significant = strings.TrimLeft(significant, "0")
	if significant == "" {
		return decimal{}, true
	}
	return decimal{negative, significant, power}, true
}

// parse reads JSON that is known to be valid.
func parse(text []byte) node {
	read, _ := valueAt(strings.TrimLeft(string(text), blank))
	return read
}

const blank = " \t\r\n"

// valueAt reads the value at the beginning of the text, and gives what follows it and its white space.
func valueAt(text string) (node, string) {
	switch text[0] {
	case '"':
		units, rest := quoted(text[1:])
		return node{kind: '"', units: units}, strings.TrimLeft(rest, blank)
	case '[':
		array := node{kind: '['}
		rest := strings.TrimLeft(text[1:], blank)
		for rest[0] != ']' {
			var item node
			item, rest = valueAt(strings.TrimLeft(strings.TrimPrefix(rest, ","), blank))
			array.items = append(array.items, item)
		}
		return array, strings.TrimLeft(rest[1:], blank)
	case '{':
		object := node{kind: '{'}
		rest := strings.TrimLeft(text[1:], blank)
		for rest[0] != '}' {
			var one member
			rest = strings.TrimLeft(strings.TrimPrefix(rest, ","), blank)
			one.key, rest = quoted(rest[1:])
			rest = strings.TrimLeft(rest, blank)
			one.value, rest = valueAt(strings.TrimLeft(rest[1:], blank))
			object.members = append(object.members, one)
		}
		slices.SortStableFunc(object.members, func(a, b member) int { return slices.Compare(a.key, b.key) })
		return object, strings.TrimLeft(rest[1:], blank)
	default:
		end := strings.IndexAny(text, ",]}"+blank)
		if end < 0 {
			end = len(text)
		}
		return node{text: text[:end]}, strings.TrimLeft(text[end:], blank)
	}
}

// quoted reads a string behind its opening quote, as UTF-16: that alone can hold half a surrogate pair.
func quoted(text string) (units []uint16, rest string) {
	units = []uint16{}
	for {
		switch {
		case text[0] == '"':
			return units, text[1:]
		case strings.HasPrefix(text, `\u`):
			unit, _ := strconv.ParseUint(text[2:6], 16, 16)
			units, text = append(units, uint16(unit)), text[6:]
		case text[0] == '\\':
			units, text = append(units, uint16(escapes[text[1]])), text[2:]
		default:
			char, size := utf8.DecodeRuneInString(text)
			units, text = utf16.AppendRune(units, char), text[size:]
		}
	}
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
