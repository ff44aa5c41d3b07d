package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"nirc"
	"nirc/cache"
	"nirc/cache/remote"
)

// remoteFlags say which caches on other machines are used, and how; the names are those of Bazel's flags.
type remoteFlags struct {
	urls, headers            []string
	upload, download         bool
	required, compress       bool
	instance, tokenFile      string
	ca, certificate, keyFile string
	timeout                  time.Duration
	retries                  int
}

// tokenVariable is the environment's name of the token, which no flag has: command lines are there for all to see.
const tokenVariable = envPrefix + "_REMOTE_TOKEN"

// remoteNames are the flags.
var remoteNames = []string{"remote-cache", "remote-header", "remote-upload", "remote-download", "remote-required", "remote-cache-compression", "remote-instance-name", "remote-token-file",
	"tls-certificate", "tls-client-certificate", "tls-client-key", "remote-timeout", "remote-retries"}

// remotes are the remote caches of a run.
type remotes struct {
	list     []*cache.Remote
	required bool
}

// dialOptions say how servers are reached.
func (r *remoteFlags) dialOptions() (remote.Options, error) {
	o := remote.Options{Headers: r.headers, Token: os.Getenv(tokenVariable), Instance: r.instance, CA: r.ca, Certificate: r.certificate, Key: r.keyFile, Compress: r.compress}
	if r.tokenFile != "" {
		token, err := readFile(r.tokenFile)
		if err != nil {
			return o, err
		}
		o.Token = string(token)
	}
	return o, nil
}

// tries are the retries as the library counts them, where 0 is its own number.
func (r *remoteFlags) tries() int {
	if r.retries == 0 {
		return -1
	}
	return r.retries
}

// open makes the remote caches of the flags, and of URLs beside them.
func (r *remoteFlags) open(more ...string) (*remotes, error) {
	o, err := r.dialOptions()
	if err != nil {
		return nil, err
	}
	if r.timeout <= 0 || r.retries < 0 {
		return nil, nirc.Usagef("--remote-timeout %s, --remote-retries %d: want more than 0, and 0 or more", r.timeout, r.retries)
	}
	all := &remotes{required: r.required}
	for _, u := range append(r.urls, more...) {
		if u == "" {
			continue // as Bazel has it, an empty one is none
		}
		s, err := remote.Dial(u, o)
		if err != nil {
			return nil, nirc.Usagef("--remote-cache %s: %s", u, err)
		}
		all.list = append(all.list, cache.NewRemote(s, cache.RemoteOptions{ReadOnly: !r.upload, WriteOnly: !r.download, Required: r.required, Timeout: r.timeout, Retries: r.tries()}))
	}
	return all, nil
}

// isURL reports whether a cache's name is no directory.
func isURL(s string) bool { return strings.Contains(s, "://") || strings.HasPrefix(s, "file:") }

// behind chains the remote caches to a local one, which may be nil.
func (r *remotes) behind(local *cache.Dir) cache.Store {
	var c cache.Chain
	if local != nil {
		c = append(c, local)
	}
	for _, s := range r.list {
		c = append(c, s)
	}
	if len(c) == 1 {
		return c[0]
	}
	return c
}

// close waits for uploads, tells what is worth it once, and returns the figures, nil if there is no remote cache.
func (r *remotes) close(rep *reporter) (*cache.RemoteFigures, error) {
	if r == nil || len(r.list) == 0 {
		return nil, nil
	}
	var sum cache.RemoteFigures
	var errs []error
	for _, s := range r.list {
		if err := s.Close(); err != nil {
			errs = append(errs, &nirc.IOError{Err: err})
		}
		n := s.Figures()
		sum.Hits += n.Hits
		sum.Misses += n.Misses
		sum.Faults += n.Faults
		sum.Rejected += n.Rejected
		sum.Stored += n.Stored
		sum.Skipped += n.Skipped
		sum.Down += n.Down
		sum.Up += n.Up
		sum.Time += n.Time
		sum.Warnings = append(sum.Warnings, n.Warnings...)
	}
	var told nirc.Diagnostics
	for _, w := range sum.Warnings {
		told = append(told, nirc.Diagnostic{Severity: nirc.SeverityWarning, Msg: w})
	}
	rep.diagnostics(told)
	r.list = nil
	return &sum, errors.Join(errs...)
}

// remoteText says figures in a line.
func remoteText(n *cache.RemoteFigures) string {
	return fmt.Sprintf("remote: %d hits, %d misses, %d faults, %d calls left out, %d rejected; %d stored; %d bytes down, %d up; %s in calls\n",
		n.Hits, n.Misses, n.Faults, n.Skipped, n.Rejected, n.Stored, n.Down, n.Up, (time.Duration(n.Time) * time.Microsecond).Round(time.Millisecond))
}
