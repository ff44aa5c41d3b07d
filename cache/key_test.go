package cache

import (
	"testing"

	"nirc/frontend/spirv"
	"nirc/ir"
)

// TestKeys: the keys of requests are what they were, for stores outlive the program that filled them, and each part of a request makes another.
func TestKeys(t *testing.T) {
	base := Request{Module: Digest{1, 2, 3}, Entry: "main", Stage: "fragment", Target: "ir3", GPU: "a630", Level: "O2", Pipeline: Digest{7}, Code: "v1"}
	with := func(edit func(r *Request)) Request {
		r := base
		edit(&r)
		return r
	}
	stage := LinkedStage{Module: Digest{9}, Entry: "v", Stage: "vertex", Spec: []spirv.SpecValue{{ID: 1, Bits: 2}}}
	seen := map[Digest]string{}
	for _, c := range []struct {
		name, want string
		r          Request
	}{
		{"nothing more", "1aa785f3b0e5a764f6409282884cba53621d7d72562f2d11846dcccd6b03eff6", base},
		{"another module", "a44f367a2e3faf7a8436a19080b6589e512930df2ed8bf57e7f8b3b8053af696", with(func(r *Request) { r.Module[31] = 1 })},
		{"another entry point", "73751f1441686b59a24e8799c1f5f722a64525ae78504c55f34c27a95408e1d5", with(func(r *Request) { r.Entry = "other" })},
		{"another stage", "efc4ab9290313f654a05c0a57cc0f585e28bbb5b191f818be0991fe36a5a3166", with(func(r *Request) { r.Stage = "vertex" })},
		{"another target", "11371688c92732d2fbe1c5df61d1383e4ce5d64d8d6bf933457591f8e3b66c4f", with(func(r *Request) { r.Target = "agx" })},
		{"another GPU", "32a3006f53640fd8e31e83901e049a07730835fc30e7f38d2fc0487374ca63a2", with(func(r *Request) { r.GPU = "a740" })},
		{"another level", "3d0846061acdef185a2eccc43219a2aae717a91eb9fd910fa229425b4aa07a90", with(func(r *Request) { r.Level = "O0" })},
		{"debug information", "ac733df495a802da97d0c7628bdc74d5d7d0f6f5bd99117a1f3e1d7ce7f3965b", with(func(r *Request) { r.Debug = true })},
		{"an ABI", "1d5cf20026aebce586070ed3df4be4a1c5557b5769a55b8503e5611306ca0b5e", with(func(r *Request) { r.ABI = "separate" })},
		{"another version", "5e1806e039fa7555270c0224112c6f48358b532969096f6e6f1c067b89c98743", with(func(r *Request) { r.Code = "v2" })},
		{"other passes", "b6b25b68315bf00e743d62dd3253e693e4e684e69d3c31f4a14d4f291def7dd9", with(func(r *Request) { r.Pipeline[0]++ })},
		{"a constant", "1f7b6dbbaee22ef043063f138ab853d72d7d6bd768b1aaed55c45a865ff45aed", with(func(r *Request) { r.Spec = []spirv.SpecValue{{ID: 3, Bits: 1 << 40}} })},
		{"two constants", "5c5cca341e2700c8018266a28d8646cd498dff3ad871d77a9a1cff8c8b63df11", with(func(r *Request) { r.Spec = []spirv.SpecValue{{ID: 3, Bits: 1 << 40}, {ID: 4, Bits: 1}} })},
		{"the next stage", "e1400c2e4fb3a845840370948f382a07edc5fb64894075b3fbf97fde6e037920", with(func(r *Request) { r.Next = "geometry" })},
		{"a layout", "cf9ce232cc2bb3886b741b7a80572663d80f88790cce120daf2e53aa1e4ce40a", with(func(r *Request) { r.Layout = []byte("{}") })},
		{"a state", "ddd0f860a20682c69b563fa630d5151791387d171f63dd6c952a168574a910e2", with(func(r *Request) { r.State = &State{Points: true} })},
		{"another state", "55836b5eb6448c227815b1139fcb6565c0078aad69defe995d0d288f78a5e514", with(func(r *Request) { r.State = &State{Robust: ir.Robust{Storage: ir.Robust2}} })},
		{"another stage linked", "ba09bb4934f9723efab455e262bfda42ffed88e30748bc2726a4730a422f691a", with(func(r *Request) { r.Linked = []LinkedStage{stage} })},
		{"two stages linked", "f031cd60c361d53706d3a75e50a4490bc4bfc13d0a229bb8f41b267902976e7e", with(func(r *Request) { r.Linked = []LinkedStage{stage, stage} })},
		{"linked alone", "1906ebb9d7f5862f8f51e81a457d04c034934035c27457199f9fcf860bddfaf6", with(func(r *Request) { r.Alone = true })},
	} {
		key := c.r.Key()
		if key.String() != c.want {
			t.Errorf("%s: the key is %s, want %s", c.name, key, c.want)
		}
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have one key", c.name, other)
		}
		seen[key] = c.name
		if again := c.r; again.Key() != key {
			t.Errorf("%s: two keys", c.name)
		}
	}
}
