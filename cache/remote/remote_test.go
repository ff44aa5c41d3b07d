package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nirc"
	"nirc/cache"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
)

func dial(t testing.TB, url string, o Options) cache.Server {
	t.Helper()
	s, err := Dial(url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// entries are some of all sizes: none, small ones, and one that goes through no batch.
func entries(t testing.TB) []cache.Keyed {
	var list []cache.Keyed
	for i, n := range []int{0, 1, 100, 70_000, 6 << 20} {
		data := make([]byte, n)
		rand.Read(data[:n/2]) // half of it compresses
		list = append(list, cache.Keyed{Key: sha256.Sum256([]byte{byte(i)}), Data: data})
	}
	return list
}

// roundTrip stores entries and takes them back, also over another connection.
func roundTrip(t *testing.T, url string, o Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	s := dial(t, url, o)
	list := entries(t)
	if _, err := s.Get(ctx, list[2].Key); !errors.Is(err, cache.ErrAbsent) {
		t.Fatalf("an empty server: %v", err)
	}
	for range 2 { // the second time nothing is missing
		if err := s.Put(ctx, list); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []cache.Server{s, dial(t, url, o)} {
		for i, e := range list {
			if got, err := from.Get(ctx, e.Key); err != nil || !bytes.Equal(got, e.Data) {
				t.Errorf("entry %d: %d bytes, %v", i, len(got), err)
			}
		}
	}
}

func TestBazelRemote(t *testing.T) {
	for _, compress := range []bool{false, true} {
		web, _, _ := bazelRemote(t, t.TempDir())
		roundTrip(t, "http://"+web, Options{Compress: compress})
	}
	for _, instance := range []string{"", "/team"} {
		_, rpc, _ := bazelRemote(t, t.TempDir())
		roundTrip(t, "grpc://"+rpc+instance, Options{})
	}
}

// What one protocol stores the other finds.
func TestBazelRemoteBoth(t *testing.T) {
	web, rpc, _ := bazelRemote(t, t.TempDir())
	a, b := dial(t, "http://"+web, Options{}), dial(t, "grpc://"+rpc, Options{})
	list := entries(t)[:4]
	if err := a.Put(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	for i, e := range list {
		if got, err := b.Get(t.Context(), e.Key); err != nil || !bytes.Equal(got, e.Data) {
			t.Errorf("entry %d: %d bytes, %v", i, len(got), err)
		}
	}
}

func TestNginx(t *testing.T)  { roundTrip(t, "http://"+webServer(t)+"/team/nirc/", Options{}) }
func TestFolder(t *testing.T) { roundTrip(t, "file:"+filepath.ToSlash(t.TempDir()), Options{}) }
func TestShelf(t *testing.T) {
	s := httptest.NewServer(&shelf{have: map[string][]byte{}})
	defer s.Close()
	roundTrip(t, s.URL, Options{Compress: false})
}

// TLS with a certificate of our own works if it is trusted, and is no server if it is not.
func TestTLS(t *testing.T) {
	s := httptest.NewTLSServer(&shelf{have: map[string][]byte{}})
	defer s.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(ca, text, 0o666); err != nil {
		t.Fatal(err)
	}
	roundTrip(t, s.URL, Options{CA: ca})
	for url, want := range map[string]string{s.URL: "certificate", strings.Replace(s.URL, "https", "grpcs", 1): "handshake failed"} {
		var fault *cache.Fault
		if _, err := dial(t, url, Options{}).Get(t.Context(), cache.Digest{1}); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: a certificate that nobody trusts: %v", url, err)
		}
	}
}

// Each answer is the fault that it is.
func TestFaultKinds(t *testing.T) {
	for _, c := range []struct {
		name          string
		answer        func(w http.ResponseWriter, r *http.Request)
		again, denied bool
	}{
		{"401", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) }, false, true},
		{"403", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) }, false, true},
		{"429", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(429) }, true, false},
		{"502", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(502) }, true, false},
		{"418", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(418) }, false, false},
		{"a page", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") }, false, false},
		{"nothing", func(w http.ResponseWriter, r *http.Request) {}, false, false},
		{"too much", func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 2<<20)) }, false, false},
		{"cut", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "9")
			fmt.Fprint(w, "x")
		}, true, false},
		{"another blob", func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/ac/") {
				w.Write(message(resultOf(newBlob([]byte("one")))).data)
			} else {
				fmt.Fprint(w, "two")
			}
		}, false, false},
		{"a result without end", func(w http.ResponseWriter, r *http.Request) {
			w.Write(message(&repb.ActionResult{OutputFiles: []*repb.OutputFile{{Path: output, Digest: &repb.Digest{Hash: strings.Repeat("0", 64), SizeBytes: 1 << 40}}}}).data)
		}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(c.answer))
			defer s.Close()
			_, err := dial(t, s.URL, Options{}).Get(t.Context(), cache.Digest{1})
			var fault *cache.Fault
			if !errors.As(err, &fault) || fault.Again != c.again || fault.Denied != c.denied {
				t.Errorf("%v: %+v", err, fault)
			}
		})
	}
	// Nobody listens, and what listens is no such server.
	web, rpc, stop := bazelRemote(t, t.TempDir())
	var fault *cache.Fault
	for _, url := range []string{"http://" + rpc, "grpc://" + web} {
		if _, err := dial(t, url, Options{}).Get(t.Context(), cache.Digest{1}); !errors.As(err, &fault) {
			t.Errorf("%s: %v", url, err)
		}
	}
	stop()
	for _, url := range []string{"http://" + web, "grpc://" + rpc} {
		if _, err := dial(t, url, Options{}).Get(t.Context(), cache.Digest{1}); !errors.As(err, &fault) || !fault.Again {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// What the server asks for reaches it: headers, the token.
func TestHeaders(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Team") != "a=b" || r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(401)
			return
		}
		w.WriteHeader(404)
	}))
	defer s.Close()
	if _, err := dial(t, s.URL, Options{Headers: []string{"x-team=a=b"}, Token: "secret\n"}).Get(t.Context(), cache.Digest{}); !errors.Is(err, cache.ErrAbsent) {
		t.Error(err)
	}
}

// URLs and options that are wrong are errors before anything is sent.
func TestDialErrors(t *testing.T) {
	for _, c := range []struct {
		url  string
		o    Options
		want string
	}{
		{"cache.example:8080", Options{}, "begins with http://"},
		{"", Options{}, "begins with http://"},
		{"/tmp/cache", Options{}, "begins with http://"},
		{"ftp://cache.example", Options{}, "begins with http://"},
		{"http://", Options{}, "begins with http://"},
		{"http://[::1", Options{}, "missing"},
		{"http://x", Options{Headers: []string{"name"}}, "NAME=VALUE"},
		{"https://x", Options{CA: "/nowhere"}, "/nowhere"},
		{"https://x", Options{CA: "remote_test.go"}, "no certificate in it"},
		{"grpcs://x", Options{Certificate: "remote_test.go", Key: "remote_test.go"}, ""},
	} {
		if _, err := Dial(c.url, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.url, err)
		}
	}
}

// texts are shaders of the IR, each another.
func texts(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  fn f0 \"main\" entry() {\n    b0:\n      %%0:32 = load_const 0x%x\n"+
			"      %%1:32x3 = load_local_invocation_id\n      %%2:32 = imul %%1.x, %%0\n      store_shared %%2, %%0 write_mask=x align_mul=4\n  }\n}\n", 4*i))
	}
	return list
}

// build builds all shaders through a store, and compares with what a compile gives.
func build(t *testing.T, modules []*cache.Module, want [][]byte, s cache.Store) {
	t.Helper()
	b := &cache.Builder{Store: s, Code: "1"}
	next := make(chan int)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range next {
				r, err := b.Shader(t.Context(), modules[i], nirc.Options{Target: "ir3", Level: 2, Entry: "main"})
				if err != nil || len(r.Refused) > 0 || r.Entry == nil || !bytes.Equal(r.Entry.Object, want[i]) {
					t.Errorf("shader %d: %v, %v", i, r.Refused, err)
				}
			}
		})
	}
	for i := range modules {
		next <- i
	}
	close(next)
	wg.Wait()
}

// compiledTexts are n modules of texts, and the objects that a build has to give.
func compiledTexts(t *testing.T, n int) (modules []*cache.Module, want [][]byte) {
	t.Helper()
	for _, text := range texts(n) {
		m, err := nirc.Load([]byte(text), "s.nir")
		if err != nil {
			t.Fatal(err)
		}
		o, err := m.Compile(t.Context(), nirc.Options{Target: "ir3", Level: 2, Entry: "main"})
		if err != nil {
			t.Fatal(err)
		}
		data, err := o.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		modules, want = append(modules, cache.NewModule(m, false)), append(want, data)
	}
	return modules, want
}

// Two hundred faults on the way to a server, over builds of five hundred shaders: each build gives the right bytes.
func TestRandomFaults(t *testing.T) {
	const shaders, builds, faults = 500, 5, 50
	modules, want := compiledTexts(t, shaders)
	web, rpc, _ := bazelRemote(t, t.TempDir())
	broken := &answers{next: &shelf{have: map[string][]byte{}}, rnd: mathrand.New(mathrand.NewPCG(1, 2))}
	page := httptest.NewServer(broken)
	defer page.Close()
	byHTTP, byGRPC := newFaulty(t, web, 1), newFaulty(t, rpc, 2)
	came := func() int {
		broken.mu.Lock()
		defer broken.mu.Unlock()
		return builds*faults - broken.n
	}
	total := 0
	for _, way := range []struct {
		url string
		set func(n int)
	}{
		{"http://" + byHTTP.address(), byHTTP.set}, {"grpc://" + byGRPC.address(), byGRPC.set},
		{page.URL, func(n int) { broken.mu.Lock(); broken.n += n; broken.mu.Unlock() }},
	} {
		for i := range builds {
			way.set(faults)
			s, err := Dial(way.url, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := cache.NewRemote(s, cache.RemoteOptions{Timeout: 250 * time.Millisecond})
			build(t, modules, want, r)
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			n := r.Figures()
			t.Logf("%s build %d: %+v", way.url, i, n)
			total += int(n.Faults)
		}
	}
	if came() == 0 || byHTTP.came == 0 || byGRPC.came == 0 || came()+byHTTP.came+byGRPC.came < 200 {
		t.Error("too few faults came")
	}
	t.Logf("faults made: %d on the way over HTTP, %d over gRPC, %d answers; %d calls failed for good", byHTTP.came, byGRPC.came, came(), total)
	// A last build without faults finds all.
	for _, url := range []string{"http://" + web, "grpc://" + rpc, page.URL} {
		r := cache.NewRemote(dial(t, url, Options{}), cache.RemoteOptions{})
		build(t, modules, want, r)
		r.Close()
		r = cache.NewRemote(dial(t, url, Options{}), cache.RemoteOptions{})
		build(t, modules, want, r)
		if n := r.Figures(); n.Hits != shaders || n.Faults != 0 {
			t.Errorf("%s: %+v", url, n)
		}
		r.Close()
	}
}

// A server that is killed in the middle of a build costs nothing but time, and is used again when it is back.
func TestServerKilled(t *testing.T) {
	dir := t.TempDir()
	web, _, stop := bazelRemote(t, dir)
	modules, want := compiledTexts(t, 200)
	r := cache.NewRemote(dial(t, "http://"+web, Options{}), cache.RemoteOptions{})
	build(t, modules[:100], want[:100], r)
	stop()
	start := time.Now()
	build(t, modules, want, r)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	n := r.Figures()
	t.Logf("killed in the middle: %v for 200 shaders, %+v", time.Since(start), n)
	if n.Faults == 0 || len(n.Warnings) != 1 || n.Skipped == 0 {
		t.Errorf("%+v", n)
	}
}
