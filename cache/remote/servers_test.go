package remote

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nirc/internal/refs"
)

// freePort returns the address of a port of this machine that nobody listens at.
func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a server until the test ends, or until stop is called, and waits until it listens.
func start(t testing.TB, cmd *exec.Cmd, addresses ...string) (stop func()) {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	t.Cleanup(stop)
	for _, a := range addresses {
		for range 200 {
			c, err := net.Dial("tcp", a)
			if err == nil {
				c.Close()
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if c, err := net.Dial("tcp", a); err != nil {
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("%s does not listen: %v\n%s", cmd.Path, err, said)
		} else {
			c.Close()
		}
	}
	return stop
}

// bazelRemote starts a bazel-remote on a folder and returns where it listens.
func bazelRemote(t testing.TB, dir string) (web, rpc string, stop func()) {
	program := refs.Tool(t, "bazel-remote")
	web, rpc = freePort(t), freePort(t)
	stop = start(t, exec.Command(program, "--dir", dir, "--max_size", "1", "--http_address", web, "--grpc_address", rpc, "--access_log_level", "none"), web, rpc)
	return web, rpc, stop
}

// webServer starts an nginx that takes PUT.
func webServer(t testing.TB) string {
	program := refs.Tool(t, "nginx")
	dir, address := t.TempDir(), freePort(t)
	conf := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log stderr;
events {}
http {
  access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  server { listen %[2]s; root %[1]s/www; client_max_body_size 0; location / { dav_methods PUT; create_full_put_path on; } }
}
`, dir, address)
	file := filepath.Join(dir, "nginx.conf")
	err := os.Mkdir(filepath.Join(dir, "www"), 0o777)
	if err == nil {
		err = os.WriteFile(file, []byte(conf), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	start(t, exec.Command(program, "-p", dir, "-c", file), address)
	return address
}

// faulty is a way to a server on which things go wrong: connections are refused, end in the middle, or stay silent.
type faulty struct {
	t       testing.TB
	l       net.Listener
	to      string
	mu      sync.Mutex
	rnd     *rand.Rand
	faults  int // that are to come
	came    int
	patient time.Duration // how long a silent connection stays
}

func newFaulty(t testing.TB, to string, seed uint64) *faulty {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{t: t, l: l, to: to, rnd: rand.New(rand.NewPCG(seed, 1)), patient: 300 * time.Millisecond}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go f.serve(c)
		}
	}()
	return f
}

func (f *faulty) address() string { return f.l.Addr().String() }

// set says how many faults are to come.
func (f *faulty) set(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = n
}

// kinds of faults.
const (
	faultNone = iota
	faultRefuse
	faultCut
	faultSilent
	faultGarbage
	numFaults
)

// draw chooses what happens to a connection.
func (f *faulty) draw() (kind, after int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.faults == 0 || f.rnd.IntN(3) == 0 {
		return faultNone, 0
	}
	f.faults--
	f.came++
	return 1 + f.rnd.IntN(numFaults-1), f.rnd.IntN(5000)
}

func (f *faulty) serve(c net.Conn) {
	defer c.Close()
	kind, after := f.draw()
	switch kind {
	case faultRefuse:
		return
	case faultSilent:
		time.Sleep(f.patient)
		return
	case faultGarbage:
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
		return
	}
	up, err := net.Dial("tcp", f.to)
	if err != nil {
		return
	}
	defer up.Close()
	go func() {
		io.Copy(up, c)
		up.Close()
	}()
	if kind == faultCut {
		io.CopyN(c, up, int64(after))
		return
	}
	io.Copy(c, up)
}

// answers is a server of HTTP that breaks the answers of one behind it, in ways that no real one does.
type answers struct {
	next http.Handler
	mu   sync.Mutex
	rnd  *rand.Rand
	n    int // that are to be broken
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	kind := -1
	if a.n > 0 && a.rnd.IntN(3) > 0 {
		a.n--
		kind = a.rnd.IntN(8)
	}
	a.mu.Unlock()
	switch kind {
	case 0:
		w.WriteHeader(http.StatusTooManyRequests)
	case 1:
		w.WriteHeader(http.StatusServiceUnavailable)
	case 2:
		w.WriteHeader(http.StatusInternalServerError)
	case 3: // a blob or a result that is something else
		io.WriteString(w, "<html>welcome to the hotel</html>")
	case 4: // cut off
		w.Header().Set("Content-Length", "100000")
		io.WriteString(w, "short")
	case 5:
		time.Sleep(400 * time.Millisecond)
	case 6:
		w.Header().Set("Content-Encoding", "zstd")
		io.WriteString(w, "this is no zstd")
	case 7:
		w.WriteHeader(http.StatusNotFound)
	default:
		a.next.ServeHTTP(w, r)
	}
}

// shelf is a plain HTTP cache in memory.
type shelf struct {
	mu   sync.Mutex
	have map[string][]byte
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case http.MethodPut:
		data, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.have[r.URL.Path] = data
	case http.MethodGet:
		data, ok := s.have[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Write(data)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}
