package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestHighlight(t *testing.T) {
	for text, want := range map[string]string{
		`if (a < 0x1f) return; // "b" & c`: `<span class="kw">if</span> (a &lt; <span class="num">0x1f</span>) <span class="kw">return</span>; <span class="com">// &#34;b&#34; &amp; c</span>`,
		`%12:32 = load_const 0x4`:          `%<span class="num">12</span>:<span class="num">32</span> = <span class="kw">load_const</span> <span class="num">0x4</span>`,
		`mad.f32 r0.x, <script>`:           `mad.f32 r0.x, &lt;script&gt;`,
	} {
		if got := string(highlight(text)); got != want {
			t.Errorf("%s\n%s\nwant\n%s", text, got, want)
		}
	}
}

// TestTexts: the steps lead to the texts that were added, and what is too much is left out.
func TestTexts(t *testing.T) {
	texts := []string{"a\nb\nc", "a\nc", "a\nx\ny\nc\n</script>", "", "c\nc\nc", "c\nc"}
	x := &Texts{}
	for _, s := range texts {
		x.Add(s)
	}
	data := string(x.JSON())
	if strings.Contains(data, "</") {
		t.Errorf("%s could end the script", data)
	}
	var read struct {
		Lines []string
		Steps []struct {
			F, B int
			L    []int
		}
	}
	if err := json.Unmarshal([]byte(data), &read); err != nil {
		t.Fatal(err)
	}
	var now []int
	for i, s := range read.Steps {
		now = slices.Concat(now[:s.F], s.L, now[len(now)-s.B:])
		var lines []string
		for _, n := range now {
			lines = append(lines, read.Lines[n])
		}
		if got := strings.Join(lines, "\n"); got != texts[i] {
			t.Errorf("step %d: %q, want %q", i, got, texts[i])
		}
	}
	x.Add(strings.Repeat("long\n", maxTexts))
	if x.JSON() != "" {
		t.Error("too much text is not left out")
	}
}
