package isa

import (
	"fmt"
	"math/rand"
	"testing"

	"nirc/backend/gputest"
	"nirc/internal/mangle"
)

// forms are some instructions of an op on a generation: the plainest, and some by chance.
func forms(gen Gen, o Op) (list []Instr) {
	r := rand.New(rand.NewSource(int64(o)))
	bits := uint64(0)
	for range 400 {
		if i, err := Unpack(gen, o.Word(bits)); err == nil && i.Op == o && len(list) < 2 {
			list = append(list, i)
		}
		bits = r.Uint64()
	}
	return list
}

// TestHeldForms: testdata/held_forms.tsv has what becomes of each instruction where a member of it has another value, a bit of its
// word or a word of its text is another: what it is packed as, unpacked and parsed, or why it is refused.
func TestHeldForms(t *testing.T) {
	rows := map[string]string{}
	for _, gen := range []Gen{A6xx, A7xx} {
		for o := OpRaw + 1; o < NumOps; o++ {
			if !o.OnGen(gen) {
				continue
			}
			var members, bits, words gputest.Codings
			for _, i := range forms(gen, o) {
				w, err := Pack(gen, &i)
				if err != nil {
					t.Fatalf("%s: %v", i.Text(gen), err)
				}
				mangle.EachMember(&i, func() {
					w, err := Pack(gen, &i)
					back, unknown := Unpack(gen, w)
					members.Add(err, w, back.Text(gen), unknown)
				})
				for b := range 64 {
					back, err := Unpack(gen, w^1<<b)
					bits.Add(err, back.Text(gen))
				}
				mangle.EachSpelling(i.Text(gen), func(text string) {
					in, err := ParseText(gen, text)
					if err != nil {
						words.Add(err)
						return
					}
					w, err := Pack(gen, &in)
					words.Add(err, w)
				})
			}
			rows[fmt.Sprintf("%s %s", gen, o)] += fmt.Sprintf("members: %s\tbits: %s\twords: %s", &members, &bits, &words)
		}
		var listings gputest.Codings
		mangle.EachSpelling(sample, func(text string) {
			code, err := Assemble(gen, text)
			listings.Add(err, code, Listing(gen, Disassemble(gen, code), true))
		})
		rows[fmt.Sprintf("%s, a listing", gen)] = listings.String()
	}
	gputest.HoldTable(t, "held_forms.tsv", rows)
}
