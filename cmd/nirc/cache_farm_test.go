package main

import (
	"bytes"
	"context"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"nirc/cache/remote/remotetest"
	"nirc/internal/refs"
)

// noRequests are the requests of a farm that wants nothing.
var noRequests = []byte(`{"schema":1,"kind":"nirc cache requests","requests":[]}`)

// inFolder runs an action's command in its folder.
func inFolder(ctx context.Context, dir string, args []string) (int32, string) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir)
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return 127, err.Error()
	}
	return int32(cmd.ProcessState.ExitCode()), errs.String()
}

// files are the contents of a folder's files by path.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, path := range entries(dir) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(dir, path)
		m[rel] = string(data)
	}
	return m
}

// What workers compile is the cache that a build here makes, byte for byte; without them the build does it, or ends where it may not.
func TestCacheExecutor(t *testing.T) {
	program, err := exec.LookPath("nirc")
	if err != nil || runtime.GOOS == "windows" {
		t.Skipf("Windows has no sh, which starts the worker here, or there is no nirc: %v", err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "start")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec '"+program+"' \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	pipeline := filepath.Join(dir, "my.yaml")
	text, err := exec.Command(program, "passes", "--file").Output()
	if err == nil {
		err = os.WriteFile(pipeline, append(text, "# mine\n"...), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := remotetest.New(t)
	s.Run = inFolder
	at := "grpc://" + s.Start()
	shaders := newWorkplace(t).dir + "/shaders"
	build := func(cache string, args ...string) string {
		t.Helper()
		args = append([]string{"cache", "build", "--dir", filepath.Join(dir, cache), "-t", "all", "--pipeline", pipeline, "--disable-pass", "opt_cse", "--safe-consts", "--sample-shading", "--dispatch-base", "--robust", "buffer"}, args...)
		out, err := exec.Command(program, append(args, shaders)...).CombinedOutput()
		if err != nil {
			out = append(out, err.Error()...)
		}
		return string(out)
	}
	build("here")
	far := build("far", "--remote-executor", at, "--remote-nirc", script)
	want, got := files(t, filepath.Join(dir, "here")), files(t, filepath.Join(dir, "far"))
	if len(got) != len(want) || len(want) < 9 {
		t.Fatalf("%d entries, want %d\n%s", len(got), len(want), far)
	}
	for path, data := range want {
		if got[path] != data {
			t.Errorf("%s is another", path)
		}
	}
	if !strings.Contains(far, " 0 compiled") || s.Ran == 0 {
		t.Errorf("%d actions: %s", s.Ran, far)
	}
	// Another directory finds all in the server's cache.
	ran := s.Ran
	if again := build("again", "--remote-executor", at, "--remote-nirc", script); s.Ran != ran || !strings.Contains(again, " 0 by workers, 0 compiled") {
		t.Errorf("%d actions more: %s", s.Ran-ran, again)
	}
	wrong := filepath.Join(dir, "wrong")
	if err := os.WriteFile(wrong, []byte("#!/bin/sh\necho no such luck >&2; exit 3\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if out := build("fallback", "--remote-executor", at, "--remote-nirc", wrong, "--remote-cache="); !strings.Contains(out, "no such luck") || !strings.Contains(out, " 0 by workers") || strings.Contains(out, " 0 compiled") {
		t.Error(out)
	}
	if out := build("strict", "--remote-executor", at, "--remote-nirc", wrong, "--remote-cache=", "--remote-local-fallback=false"); !strings.Contains(out, "the remote executor has not compiled it") || !strings.Contains(out, "exit status 3") {
		t.Error(out)
	}
	for args, want := range map[string]string{
		"--remote-executor=farm:8980":                         "begins with grpc://",
		"--remote-executor=" + at + " --remote-jobs=0":        "want more than 0",
		"--remote-executor=" + at + " --remote-nirc=/nowhere": "/nowhere", "--remote-executor=" + at + " --remote-default-exec-properties=x": "NAME=VALUE",
	} {
		if out := build("errors", strings.Fields(args)...); !strings.Contains(out, want) {
			t.Errorf("%s: %s", args, out)
		}
	}
}

// startBuildbox starts a real executor on this machine alone, and returns where it listens.
func startBuildbox(t *testing.T) (address string, kill func()) {
	server, runner := refs.Tool(t, "buildbox-casd"), refs.Tool(t, "buildbox-run")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	l.Close()
	cmd := exec.Command(server, "--bind="+address, "--buildbox-run="+runner, filepath.Join(t.TempDir(), "storage"))
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	t.Cleanup(kill)
	for range 100 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address, kill
		}
		time.Sleep(50 * time.Millisecond)
	}
	kill()
	t.Fatalf("buildbox does not listen:\n%s", &log)
	return "", nil
}

// A real server executes what it is sent; what it leaves when it is killed is compiled here. The caches are the same, byte for byte.
func TestBuildbox(t *testing.T) {
	address, kill := startBuildbox(t)
	tree, dir := writeTree(t, 40), t.TempDir()
	build := func(cache string, args ...string) string {
		t.Helper()
		args = append([]string{"cache", "build", "--dir", filepath.Join(dir, cache), "-t", "all", tree}, args...)
		out, err := exec.Command("nirc", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	build("here")
	executor := []string{"--remote-executor", "grpc://" + address, "--remote-cache="}
	if out := build("far", executor...); !strings.Contains(out, " 120 by workers, 0 compiled") {
		t.Error(out)
	}
	kill()
	if out := build("left", executor...); !strings.Contains(out, " 0 by workers, 120 compiled") || !strings.Contains(out, "remote executor: ") {
		t.Error(out)
	}
	want := files(t, filepath.Join(dir, "here"))
	for _, cache := range []string{"far", "left"} {
		if !maps.Equal(files(t, filepath.Join(dir, cache)), want) {
			t.Errorf("%s is another cache", cache)
		}
	}
}
