package ir_test

import (
	"bytes"
	"testing"

	"nirc/ir"
	"nirc/ir/irtest"
)

func allText(s *ir.Shader) string { return ir.PrintWith(s, ir.PrintOptions{Locs: true}) }

func TestSerializeRandom(t *testing.T) {
	text, size := 0, 0
	for seed := range uint64(60) {
		s := irtest.Config{Seed: seed, Size: 50 + int(seed)*10, Everything: seed%2 == 0}.Shader()
		data := ir.Serialize(s, ir.SerializeOptions{})
		back, err := ir.Deserialize(data)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := ir.Validate(back); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := allText(s)
		if have := allText(back); have != want {
			t.Fatalf("seed %d: %s", seed, firstDiff(want, have))
		}
		if !bytes.Equal(data, ir.Serialize(back, ir.SerializeOptions{})) || !bytes.Equal(data, ir.Serialize(ir.Clone(s), ir.SerializeOptions{})) {
			t.Fatalf("seed %d: the same shader gives other bytes", seed)
		}
		text, size = text+len(want), size+len(data)
	}
	t.Logf("%d bytes of text are %d bytes", text, size)
	if size*4 > text {
		t.Errorf("%d bytes of text take %d bytes", text, size)
	}
}

func TestSerializeStrip(t *testing.T) {
	c := irtest.Config{Seed: 3, Size: 400, Everything: true}
	s := c.Shader()
	full := ir.Serialize(s, ir.SerializeOptions{})
	bare := ir.Serialize(s, ir.SerializeOptions{StripNames: true, StripLocs: true})
	if len(bare) >= len(full) {
		t.Errorf("%d bytes stripped, %d not", len(bare), len(full))
	}
	for _, name := range []string{"albedo", "a.comp", "callee"} {
		if bytes.Contains(bare, []byte(name)) || !bytes.Contains(full, []byte(name)) {
			t.Errorf("%q: not in the full form, or still in the stripped one", name)
		}
	}
	// Stripped forms of shaders that differ in names only are the same bytes.
	for _, v := range s.Variables {
		v.Name += "x"
	}
	s.Files[1] = "other.comp"
	s.Locs[1].Line += 1000
	if !bytes.Equal(bare, ir.Serialize(s, ir.SerializeOptions{StripNames: true, StripLocs: true})) {
		t.Error("names show in the stripped form")
	}
	back, err := ir.Deserialize(bare)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Validate(back); err != nil {
		t.Fatal(err)
	}
	if back.Entry().Name != "main" || len(back.Locs) != 1 {
		t.Error("the entry point's name is gone, or locations are not")
	}
}

func TestDeserializeCut(t *testing.T) {
	data := ir.Serialize(irtest.Config{Seed: 1, Size: 60, Everything: true}.Shader(), ir.SerializeOptions{})
	for n := range data {
		if _, err := ir.Deserialize(data[:n]); err == nil {
			t.Fatalf("%d of %d bytes are a shader", n, len(data))
		}
	}
	if _, err := ir.Deserialize(append(data, 0)); err == nil {
		t.Error("a byte after the end is accepted")
	}
}

// TestDeserializeChanged: a shader with one bit changed is an error, or another shader, and no panic.
func TestDeserializeChanged(t *testing.T) {
	data := ir.Serialize(irtest.Config{Seed: 2, Size: 12, Everything: true}.Shader(), ir.SerializeOptions{})
	refused := 0
	for i := range data {
		for bit := i % 4; bit < 8; bit += 4 {
			data[i] ^= 1 << bit
			if s, err := ir.Deserialize(data); err != nil {
				refused++
			} else {
				_ = ir.Validate(s)
			}
			data[i] ^= 1 << bit
		}
	}
	if refused < len(data)/2 {
		t.Errorf("of %d changes %d are refused", 2*len(data), refused)
	}
	if _, err := ir.Deserialize(data); err != nil {
		t.Error(err)
	}
}

// FuzzDeserialize: no bytes panic or ask for memory without bound; what reads
// and is valid writes and reads back the same.
func FuzzDeserialize(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(ir.Serialize(irtest.Config{Seed: seed, Size: 30, Everything: seed%2 == 0}.Shader(), ir.SerializeOptions{StripLocs: seed == 0}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		s, err := ir.Deserialize(data)
		if err != nil || ir.Validate(s) != nil {
			return
		}
		text := allText(s)
		back, err := ir.Deserialize(ir.Serialize(s, ir.SerializeOptions{}))
		if err != nil {
			t.Fatal(err)
		}
		if again := allText(back); again != text {
			t.Fatal(firstDiff(text, again))
		}
	})
}
