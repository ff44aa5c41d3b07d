package report_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser opens pages in a headless Chromium, and notes errors of scripts and requests beyond the page's file.
type browser struct {
	ctx  context.Context
	mu   sync.Mutex
	bad  []string
	path string
}

func open(t *testing.T, page string) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("NIRC_REQUIRE_TOOLS") != "" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is not installed")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &browser{ctx: ctx}
	chromedp.ListenTarget(ctx, func(ev any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			b.bad = append(b.bad, "exception: "+ev.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			b.bad = append(b.bad, "console: "+string(ev.Type))
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; !strings.HasPrefix(u, "file://") && !strings.HasPrefix(u, "data:") {
				b.bad = append(b.bad, "request: "+u)
			}
		}
	})
	b.path, err = filepath.Abs(page)
	if err != nil {
		t.Fatal(err)
	}
	b.run(t, network.Enable(), runtime.Enable(), chromedp.Navigate("file://"+b.path), chromedp.WaitVisible("#theme"))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, s := range b.bad {
			t.Error(s)
		}
	})
	return b
}

func (b *browser) run(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// number evaluates an expression.
func (b *browser) number(t *testing.T, js string) (n float64) {
	t.Helper()
	b.run(t, chromedp.Evaluate(js, &n))
	return n
}

// contrast is the WCAG contrast of the text of the page, in JavaScript.
const contrast = `(function () {
  function lum(c) { return c.match(/[\d.]+/g).slice(0, 3).map(function (v) { v /= 255; return v <= .03928 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4); }).reduce(function (s, v, i) { return s + v * [.2126, .7152, .0722][i]; }, 0); }
  var bg = lum(getComputedStyle(document.body).backgroundColor), worst = 99;
  document.querySelectorAll("p, td, th, h1, a, .list .n, .list code, .list code span, pre.diff b").forEach(function (e) {
    var a = lum(getComputedStyle(e).color), r = (Math.max(a, bg) + .05) / (Math.min(a, bg) + .05);
    worst = Math.min(worst, r);
  });
  return worst;
})()`

// TestBrowserShader: hover, click, keys, search and themes of a shader's page, on a desktop and on a phone.
func TestBrowserShader(t *testing.T) {
	b := open(t, shaderPage(t))
	const line = `li[data-k="lit.frag:16"]`
	if n := b.number(t, `document.querySelectorAll('`+line+`').length`); n < 5 {
		t.Fatalf("line 16 stands in %v places", n)
	}
	b.run(t, chromedp.Evaluate(`document.querySelector('`+line+`').dispatchEvent(new MouseEvent("mouseenter"))`, nil))
	if b.number(t, `document.querySelectorAll("li.on").length`) != b.number(t, `document.querySelectorAll('`+line+`').length`) {
		t.Error("not all lines of the place light up under the pointer")
	}
	b.run(t, chromedp.Evaluate(`document.querySelector('`+line+`').dispatchEvent(new MouseEvent("mouseleave"))`, nil), chromedp.Click(line, chromedp.ByQuery))
	if b.number(t, `document.querySelectorAll("li.on:not(.pin)").length`) != 0 && b.number(t, `document.querySelectorAll("li.pin").length`) == 0 {
		t.Error("a click keeps nothing")
	}
	b.run(t, chromedp.Focus(line, chromedp.ByQuery), chromedp.KeyEvent("\r"))
	if b.number(t, `document.querySelectorAll("li.pin").length`) != 0 {
		t.Error("Enter on a line that is kept lets it not go")
	}
	all := b.number(t, `document.querySelectorAll(".list li:not(.hidden)").length`)
	b.run(t, chromedp.SendKeys(`input[data-filter=".list li"]`, "rsq", chromedp.ByQuery))
	if n := b.number(t, `document.querySelectorAll(".list li:not(.hidden)").length`); n == 0 || n >= all {
		t.Errorf("the search leaves %v of %v lines", n, all)
	}
	for _, theme := range []string{"light", "dark"} {
		b.run(t, chromedp.Click("#theme", chromedp.ByQuery))
		if n := b.number(t, `+(document.documentElement.getAttribute("data-theme") === "`+theme+`")`); n != 1 {
			t.Errorf("the theme is not %s", theme)
		}
		if c := b.number(t, contrast); c < 4.5 {
			t.Errorf("%s: contrast of %.2f, WCAG AA wants 4.5", theme, c)
		}
	}
	passesOf(t, b)
	b.run(t, emulation.SetDeviceMetricsOverride(390, 844, 2, true), chromedp.Reload(), chromedp.WaitVisible("#theme"))
	if n := b.number(t, `document.documentElement.scrollWidth`); n > 400 {
		t.Errorf("on a phone the page is %v wide", n)
	}
	if dir := os.Getenv("NIRC_SCREENSHOTS"); dir != "" {
		shots(t, b, dir)
	}
}

// passesOf looks at the pipelines of a shader's page: what changed nothing can be hidden, rules are found, the texts
// after any two steps are compared.
func passesOf(t *testing.T, b *browser) {
	t.Helper()
	shown := func() float64 {
		return b.number(t, `Array.from(document.querySelectorAll(".steps tbody tr")).filter(function (r) { return getComputedStyle(r).display !== "none"; }).length`)
	}
	b.run(t, chromedp.Evaluate(`document.querySelectorAll("details.pipeline").forEach(function (d) { d.open = true; })`, nil))
	all := shown()
	b.run(t, chromedp.Click("#same", chromedp.ByQuery))
	if some := shown(); some == 0 || some >= all {
		t.Errorf("%v of %v runs of passes are left when those that changed nothing are hidden", some, all)
	}
	b.run(t, chromedp.Click("#same", chromedp.ByQuery), chromedp.SendKeys(`input[data-filter=".steps tbody tr"]`, "late.rules", chromedp.ByQuery))
	if n := shown(); n == 0 || n >= all {
		t.Errorf("the search for a rule leaves %v of %v runs", n, all)
	}
	b.run(t, chromedp.Evaluate(`document.querySelector('input[data-filter=".steps tbody tr"]').value = ""`, nil))
	// From the first text to the last of the IR something goes and comes; a text does not differ from itself.
	const lines = `(function (sign) { return Array.from(document.querySelectorAll("pre.diff b")).filter(function (e) { return e.textContent[0] === sign; }).length; })`
	choose := func(from, to int) {
		b.run(t, chromedp.Evaluate(fmt.Sprintf(`(function () { var p = document.querySelector(".pipeline"), f = p.querySelector(".from"), t = p.querySelector(".to"); f.value = %d; t.value = %d; t.dispatchEvent(new Event("change")); })()`, from, to), nil))
	}
	choose(0, 20)
	if gone, come := b.number(t, lines+`("\u2212")`), b.number(t, lines+`("+")`); gone == 0 || come == 0 {
		t.Errorf("between two steps %v lines go and %v come", gone, come)
	}
	choose(5, 5)
	if n := b.number(t, `+(document.querySelector("pre.diff").textContent === "no difference")`); n != 1 {
		t.Error("a text differs from itself")
	}
	// A pass's button shows what it changed: as many lines as its row says.
	b.run(t, chromedp.Evaluate(`document.querySelector(".steps tbody tr:not(.same) button").click()`, nil))
	if n := b.number(t, `parseInt(document.querySelector(".steps tbody tr:not(.same)").cells[1].textContent.slice(1)) - `+lines+`("+")`); n > 0 {
		t.Errorf("the difference lacks %v of the lines that the row says were added", n)
	}
}

// TestBrowserSet: the table of a set is sorted by a click and searched.
func TestBrowserSet(t *testing.T) {
	b := open(t, setPage(t))
	first := `parseFloat(document.querySelector("table.sort tbody tr").cells[3].textContent)`
	b.run(t, chromedp.Click(`table.sort th:nth-child(4) button`, chromedp.ByQuery))
	most := b.number(t, first)
	b.run(t, chromedp.Click(`table.sort th:nth-child(4) button`, chromedp.ByQuery))
	if least := b.number(t, first); least >= most || most != b.number(t, `Math.max.apply(null, Array.from(document.querySelectorAll("table.sort tbody tr")).map(function (r) { return parseFloat(r.cells[3].textContent); }))`) {
		t.Errorf("sorted by cycles the first is %v, then %v", most, least)
	}
	if n := b.number(t, `document.querySelectorAll("table.changes tbody tr").length`); n == 0 {
		t.Error("the page does not say what changed since")
	}
	b.run(t, chromedp.SendKeys(`input[type=search]`, "mandel", chromedp.ByQuery))
	if n := b.number(t, `document.querySelectorAll("table.sort tbody tr:not(.hidden)").length`); n != 2 {
		t.Errorf("the search leaves %v rows", n)
	}
}

// write runs nirc report and returns the page.
func write(t *testing.T, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	cmd := exec.Command("go", append([]string{"run", "nirc/cmd/nirc", "report", "-o", path}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

func shaderPage(t *testing.T) string { return write(t, "-t", "all", "../../testdata/lit.frag.spv") }

// setPage is that of two shaders, after they were compiled without passes.
func setPage(t *testing.T) string {
	before := filepath.Join(t.TempDir(), "before.json")
	args := []string{"../../testdata/blur.comp.spv", "../../testdata/mandel.comp.spv"}
	out, err := exec.Command("go", append([]string{"run", "nirc/cmd/nirc", "cost", "--json", "-O0", "-t", "ir3,agx"}, args...)...).Output()
	if err == nil {
		err = os.WriteFile(before, out, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "-t", "ir3,agx", "--before", before, "../../testdata/blur.comp.spv", "../../testdata/mandel.comp.spv")
}

// shots writes pictures of the page for people to look at.
func shots(t *testing.T, b *browser, dir string) {
	t.Helper()
	for _, s := range []struct {
		name          string
		width, height int64
		dark          bool
	}{{"desktop", 1400, 1000, false}, {"dark", 1400, 1000, true}, {"phone", 390, 844, false}} {
		var png []byte
		theme := "light"
		if s.dark {
			theme = "dark"
		}
		b.run(t, emulation.SetDeviceMetricsOverride(s.width, s.height, 1, s.width < 500),
			chromedp.Evaluate(`document.documentElement.setAttribute("data-theme", "`+theme+`"); document.querySelector(".cols").scrollIntoView()`, nil), chromedp.CaptureScreenshot(&png))
		if err := os.WriteFile(filepath.Join(dir, s.name+".png"), png, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
