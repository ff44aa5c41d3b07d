package nirc_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/targets"
	"nirc/ir"
)

// interfaceOf is the interface of a shader's text as JSON.
func interfaceOf(t *testing.T, text string) string {
	t.Helper()
	m, err := nirc.Load([]byte(text), "a.nir")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := m.Interface(t.Context(), nirc.Options{Target: nirc.IRTarget})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPayloads: what shaders hand to those that they start, and get, is told with its kind, place and size, and no other variable.
func TestPayloads(t *testing.T) {
	const members = `"type":"struct P","members":[{"name":"a","offset":0,"size":12,"type":"vec3f32"},{"name":"b","offset":12,"size":16,"type":"u32[4]"}]`
	for _, c := range []struct{ stage, variables, want string }{
		{"task", `var @1 mem_task_payload $0 "first"`, `[{"name":"first","kind":"task_payload","size":32,TYPE}]`},
		{"raygen", `var @1 shader_call_data u32 "out" { location=2 }`, `[{"name":"out","kind":"call_data","location":"location 2","size":4,"type":"u32"}]`},
		{"raygen", "var @1 shader_call_data u32 \"at none\" { location=0 }\n  var @2 shader_temp u32 \"not\"",
			`[{"name":"at none","kind":"call_data","location":"location 0","size":4,"type":"u32"}]`},
		{"callable", "var @1 shader_call_data f32 \"result\" { incoming }\n  var @2 shader_call_data vec2f32 \"\"",
			`[{"name":"result","kind":"incoming_call_data","size":4,"type":"f32"},{"kind":"call_data","size":8,"type":"vec2f32"}]`},
		{"closest_hit", `var @1 ray_hit_attrib vec2f32 "where"`, `[{"name":"where","kind":"hit_attribute","size":8,"type":"vec2f32"}]`},
		{"miss", `var @1 mem_global $0 "record"`, `[{"name":"record","kind":"shader_record","size":32,TYPE}]`},
		{"raygen", `var @1 shader_call_data u32[536870911] "large"`, `[{"name":"large","kind":"call_data","size":2147483644,"type":"u32[536870911]"}]`},
		{"raygen", `var @1 shader_call_data u32[2147483647] "too large"`, `[{"name":"too large","kind":"call_data","size":2147483648,"type":"u32[2147483647]"}]`},
		{"compute", `var @1 mem_shared u32 "x"`, ``},
	} {
		info := ""
		if c.stage == "task" || c.stage == "compute" {
			info = "  info { workgroup_size=1,1,1 }\n"
		}
		text := "shader " + c.stage + " \"main\" {\n" + info + "  type $0 = struct \"P\" {\n    \"a\": vec3f32\n    \"b\": u32[4]\n  }\n  " + c.variables + "\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n"
		_, got, _ := strings.Cut(interfaceOf(t, text), `"payloads":`)
		got, _, _ = strings.Cut(got, `,"deciding`)
		if want := strings.ReplaceAll(c.want, "TYPE", members); strings.TrimSuffix(got, "}") != want {
			t.Errorf("%s, %s:\n%s\nwant\n%s", c.stage, c.variables, got, want)
		}
	}
}

// decides is a shader with a branch by a word of a uniform buffer and one by a word of the push constants.
const decides = `shader compute "main" {
  info { workgroup_size=1,1,1 }
  type $0 = struct "B" block {
    "x": u32 offset=0
    "y": u32 offset=20
  }
  var @1 mem_ubo $0 "b" { set=2 binding=3 }
  var @2 mem_push_const $0 "p"
  var @3 mem_ssbo $0 "s" { set=0 binding=0 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %8:32x2 = vulkan_resource_index %0 desc_set=2 binding=3 desc_type=1
      %9:32x2 = load_vulkan_descriptor %8 desc_type=1
      %1:32x2 = deref_cast %9 (mem_ubo $0) align=16+0
      %2:32 = deref_var @2
      %3:32x2 = deref_struct %1.1
      %4:32 = load_deref %3
      %5:1 = ieq %4, %0
    if %5 {
      b1:
    } else {
      b2:
    }
    b3:
      %6:32 = deref_struct %2.0
      %7:32 = load_deref %6
      %10:1 = ine %7, %0
    if %10 {
      b4:
    } else {
      b5:
    }
    b6:
  }
}
`

// TestDecidingWords: words that decide branches are told by their places, and no word that decides nothing.
func TestDecidingWords(t *testing.T) {
	if got := interfaceOf(t, decides); !strings.Contains(got, `"deciding_uniforms":["push+0","2.3+20"]`) && !strings.Contains(got, `"deciding_uniforms":["2.3+20","push+0"]`) {
		t.Error(got)
	}
	refused := strings.Replace(decides, "      %2:32 = deref_var @2\n", "      %20:64 = load_const 0x0\n      %21:64 = deref_cast %20 (mem_ubo $0) align=16+0\n      %22:64 = deref_struct %21.0\n      %23:32 = load_deref %22\n      %2:32 = deref_var @2\n", 1)
	if got := interfaceOf(t, refused); strings.Contains(got, "deciding_uniforms") {
		t.Error(got)
	}
	alone := strings.Replace(decides, "%4, %0", "%0, %0", 1)
	if got := interfaceOf(t, alone); !strings.Contains(got, `"deciding_uniforms":["push+0"]`) {
		t.Error(got)
	}
}

// TestTargetNames: each target and GPU that is listed is taken, by the default too, and what none is called is refused with what there is.
func TestTargetNames(t *testing.T) {
	var usage *nirc.UsageError
	all := nirc.Targets()
	if len(all) != len(targets.All) || all[0].Name != nirc.DefaultTarget || nirc.DefaultGPU("") != all[0].GPUs[0].Name || nirc.DefaultGPU("vax") != "" {
		t.Errorf("%+v", all)
	}
	for i, x := range all {
		if nirc.DefaultGPU(x.Name) != x.GPUs[0].Name || len(x.Steps) == 0 {
			t.Errorf("%s: the GPU %q, %d steps", x.Name, nirc.DefaultGPU(x.Name), len(x.Steps))
		}
		for _, g := range x.GPUs {
			if err := nirc.CheckGPU(x.Name, g.Name); err != nil {
				t.Error(err)
			}
			if f, err := nirc.FloatControls(x.Name, g.Name); f == nil || err != nil {
				t.Errorf("%s %s: %v, %v", x.Name, g.Name, f, err)
			}
			other := all[(i+1)%len(all)].Name
			if err := nirc.CheckGPU(other, g.Name); !errors.As(err, &usage) || !strings.Contains(err.Error(), "target "+other+" has no GPU") {
				t.Errorf("%s for %s: %v", g.Name, other, err)
			}
			if _, err := nirc.Backend(g.Name); !errors.As(err, &usage) || !strings.Contains(err.Error(), "-t "+x.Name+" --gpu "+g.Name) {
				t.Errorf("the GPU %s as a target: %v", g.Name, err)
			}
		}
		if err := nirc.CheckGPU(x.Name, ""); err != nil {
			t.Errorf("no GPU of %s: %v", x.Name, err)
		}
	}
	for _, err := range []error{nirc.CheckGPU("vax", "a630"), second(nirc.FloatControls("vax", "")), second(nirc.Backend("vax"))} {
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), `no target "vax"`) {
			t.Errorf("a target that there is not: %v", err)
		}
	}
	if f, err := nirc.FloatControls(nirc.IRTarget, ""); f != nil || err != nil {
		t.Errorf("the IR's modes: %v, %v", f, err)
	}
	if _, err := nirc.FloatControls("ir3", "voodoo"); err == nil {
		t.Error("modes of a GPU that there is not")
	}
}

func second[T any](_ T, err error) error { return err }

// TestCapabilityCounts: what is counted by GPU is what the list of capabilities has.
func TestCountedCapabilities(t *testing.T) {
	list := nirc.Capabilities()
	for _, n := range nirc.CapabilityCounts() {
		of, supported := 0, 0
		missing := map[string]bool{}
		for _, name := range n.Missing {
			missing[name] = true
		}
		for _, c := range list {
			for _, g := range c.GPUs {
				if g.Target != n.Target || g.GPU != n.GPU || c.Vulkan == "" {
					continue
				}
				of++
				if g.Supported {
					supported++
				}
				if g.Supported != (g.Why == "") || g.Supported && (g.Part || missing[c.Name]) {
					t.Errorf("%s on %s: %+v", c.Name, n.GPU, g)
				}
			}
		}
		if n.Of != of || n.Supported != supported || n.Driver == "" || n.Exposed < len(n.Missing) || n.Exposed-len(n.Missing) > supported {
			t.Errorf("%+v, want %d of %d", n, supported, of)
		}
	}
}

// TestTakenStages: IR text is taken by the name and the stage that it has, and if none is asked for.
func TestTakenStages(t *testing.T) {
	m, err := nirc.Load([]byte(decides), "a.nir")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    nirc.Options
		want string
	}{
		{nirc.Options{}, ""}, {nirc.Options{Entry: "main", Stage: ir.StageCompute}, ""},
		{nirc.Options{Entry: "other"}, `the shader's name is "main", not "other"`}, {nirc.Options{Stage: ir.StageVertex}, "the shader's stage is compute, not vertex"},
	} {
		c.o.Target = nirc.IRTarget
		if _, err := nirc.Translate(t.Context(), m, c.o); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}

// TestEntryNames: names of entry points are quoted where a shell would take them for more.
func TestEntryNames(t *testing.T) {
	const plain = "+,-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
	for r := rune(1); r < 0x180; r++ {
		name := string(r)
		want := "--entry '" + strings.ReplaceAll(name, "'", `'\''`) + "'"
		if r >= 0x80 || strings.ContainsRune(plain, r) {
			want = "--entry " + name
		}
		if got := nirc.EntryList([]nirc.EntryPoint{{Name: name}}); got != want {
			t.Errorf("%U: %s, want %s", r, got, want)
		}
	}
	list := []nirc.EntryPoint{{Name: "main", Stage: ir.StageVertex}, {}, {Name: "a b", Stage: ir.StageCompute}}
	if got := nirc.EntryList(list); got != "--entry main --stage vertex, --entry 'a b' --stage compute" {
		t.Error(got)
	}
}
