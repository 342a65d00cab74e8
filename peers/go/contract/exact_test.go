package contract

import (
	"encoding/json"
	"testing"
)

func TestWhatGivesBackTheSameValueIsTheSame(t *testing.T) {
	for said, held := range map[string]string{
		`{"a": [1, {"b": null}], "c": "x"}`: `{"c":"x","a":[1,{"b":null}]}`,
		`[1.0, 1e2, -0, 0.10]`:              `[1,100,0,1e-1]`,
		`[1e400, 9007199254740993]`:         `[10e399,9007199254740993.0]`,
		`"\u00e4\ud83d\ude00\/"`:            `"ä😀/"`,
		`"\ud83d"`:                          `"\uD83D"`,
		`{"a": 1, "a": 2}`:                  `{"a":1,"a":2}`,
	} {
		if err := Same("it", json.RawMessage(said), json.RawMessage(held)); err != nil {
			t.Errorf("%s as %s: %v", said, held, err)
		}
	}
}

func TestWhatIsChangedIsToldWithItsPlace(t *testing.T) {
	for _, change := range []struct{ said, held, at string }{
		{`{"a": {"b": 9007199254740993}}`, `{"a":{"b":9007199254740992}}`, "/a/b"},
		{`[1, 2]`, `[1]`, "the whole value"},
		{`[[], {"x": 1}]`, `[[],{}]`, "/1/x"},
		{`{"a": null}`, `{}`, "/a"},
		{`{}`, `{"a":false}`, "/a"},
		{`{"a": 1, "a": 2}`, `{"a":2}`, "/a"},
		{`{"a": "\ud83d"}`, `{"a":"\ufffd"}`, "/a"},
		{`"1"`, `1`, "the whole value"},
		{`1e-400`, `0`, "the whole value"},
	} {
		err := Same("it", json.RawMessage(change.said), json.RawMessage(change.held))
		if err == nil || err.Error() != "the SDK changes "+change.at+" in it" {
			t.Errorf("%s as %s: %v", change.said, change.held, err)
		}
	}
}

func TestATypeThatDropsAMemberDoesNotHoldIt(t *testing.T) {
	type narrow struct{ Name string }
	if _, err := Typed[narrow]("a tool", json.RawMessage(`{"Name": "a", "x": {"y": 1}}`)); err == nil {
		t.Error("the member x is gone")
	}
}

func TestNativeValuesHoldWhatGoHolds(t *testing.T) {
	for _, text := range []string{`{"a":[9007199254740993,18446744073709551615,0.1,true,null,"ä"]}`, `-9223372036854775808`} {
		value, err := Native(json.RawMessage(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if err := Same("it", json.RawMessage(text), value); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{`18446744073709551616`, `1e400`, `3.14159265358979323846`, `"\ud83d"`, `{"a":1,"a":1}`} {
		if value, err := Native(json.RawMessage(text)); err == nil {
			t.Errorf("%s became %v", text, value)
		}
	}
}

func TestMembersAreTakenApartWithTheirTexts(t *testing.T) {
	rest, taken, err := Apart(json.RawMessage(`{"a": 1.0, "b": {"c":  1e400}}`), "b", "x")
	if err != nil || string(rest) != `{"a":1.0}` || string(taken["b"]) != `{"c":  1e400}` || len(taken) != 1 {
		t.Error(string(rest), taken, err)
	}
	for object, more := range map[string]string{`{}`: `{"x":[]}`, ` {"a":1}`: `{"x":[],"a":1}`} {
		if with := string(With(json.RawMessage(object), "x", json.RawMessage("[]"))); with != more {
			t.Errorf("%s with x is %s", object, with)
		}
	}
}
