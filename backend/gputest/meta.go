package gputest

import (
	"encoding/json"
	"reflect"
	"testing"
)

// meta is what a binary says of itself: a pointer to an M.
type meta[M any] interface {
	*M
	Check() error
}

// MetaAsJSON tests that a valid meta is the same after its way through JSON.
func MetaAsJSON[M any, P meta[M]](t *testing.T, m P) {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	back := P(new(M))
	if err = json.Unmarshal(b, back); err != nil || !reflect.DeepEqual(m, back) {
		t.Errorf("JSON changes the meta: %v\n%s", err, b)
	}
	if err = m.Check(); err != nil {
		t.Error(err)
	}
}

// WrongMetas tests that a meta is valid, and not after each of the changes, which have names.
func WrongMetas[M any, P meta[M]](t *testing.T, valid M, changes map[string]func(P)) {
	t.Helper()
	if err := P(&valid).Check(); err != nil {
		t.Error(err)
	}
	for name, change := range changes {
		m := valid
		change(&m)
		if P(&m).Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
