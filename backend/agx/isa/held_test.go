package isa

import (
	"fmt"
	"math/rand"
	"testing"

	"nirc/backend/gputest"
	"nirc/internal/mangle"
)

// forms are some instructions of an op: the plainest, and some by chance.
func forms(o Op) (list []Instr) {
	if i, ok := sample(o); ok {
		list = append(list, i)
	}
	r := rand.New(rand.NewSource(int64(o)))
	for range 400 {
		if i, ok := o.Form(r.Uint64); ok && len(list) < 4 {
			list = append(list, i)
		}
	}
	return list
}

// TestHeldForms: testdata/held_forms.tsv has what becomes of each instruction where a member of it has another value, a bit of its
// code or a word of its text is another: what it is packed as, unpacked and parsed, or why it is refused.
func TestHeldForms(t *testing.T) {
	type cells struct{ members, bits, words gputest.Codings }
	all := map[string]*cells{}
	rows := map[string]string{}
	for o := OpInvalid + 1; o < NumOps; o++ {
		c := all[o.String()]
		if c == nil {
			c = new(cells)
			all[o.String()] = c
		}
		for _, i := range forms(o) {
			code, err := Pack(&i)
			if err != nil {
				t.Fatalf("%s: %v", i.Text(), err)
			}
			mangle.EachMember(&i, func() {
				code, err := Pack(&i)
				c.members.Add(err, code, unpacked(code))
			})
			mangle.EachBit(code, func() {
				back, n, err := Unpack(code)
				c.bits.Add(err, back.Text(), n)
			})
			mangle.EachSpelling(i.Text(), func(text string) {
				in, err := ParseText(text)
				if err != nil {
					c.words.Add(err)
					return
				}
				code, err := Pack(&in)
				c.words.Add(err, code)
			})
		}
		rows[o.String()] = fmt.Sprintf("members: %s\tbits: %s\twords: %s", &c.members, &c.bits, &c.words)
	}
	var listings gputest.Codings
	mangle.EachSpelling(program, func(text string) {
		code, err := Assemble(text)
		listings.Add(err, code, Listing(Disassemble(code), true))
	})
	rows["a listing"] = listings.String()
	gputest.HoldTable(t, "held_forms.tsv", rows)
}

// unpacked is the text of code.
func unpacked(code []byte) string {
	i, _, err := Unpack(code)
	return fmt.Sprint(i.Text(), err)
}
