package cache

import "testing"

// TestParseShard: a shard is one of n, from 1 to n; all keys are in one of them.
func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{
		"1/1": {1, 1}, "2/3": {2, 3}, "3/3": {3, 3}, "1/3": {1, 3}, "": {}, "1": {}, "/": {}, "2/": {}, "/2": {}, "x/2": {}, "1/x": {}, "0/2": {}, "3/2": {}, "1/0": {}, "-1/3": {}, "1/2/3": {}, "0/0": {},
	} {
		got, err := ParseShard(text)
		if got != want || (err == nil) != (want != Shard{}) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for n := 1; n <= 5; n++ {
		for k := range 40 {
			in := 0
			for i := 1; i <= n; i++ {
				if (Shard{i, n}).Has(Digest{0, byte(k), 7: byte(3 * k), 8: 255}) {
					in++
				}
			}
			if in != 1 {
				t.Errorf("key %d is in %d of %d shards", k, in, n)
			}
		}
	}
}
