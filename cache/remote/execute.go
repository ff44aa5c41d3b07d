package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"nirc/cache"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

// ExecutorOptions say how actions are run.
type ExecutorOptions struct {
	Options
	// Platform are properties that workers must have, NAME=VALUE.
	Platform []string
	// Salt is part of each action: another one makes the server run what it ran before.
	Salt string
	// Timeout is that of an action on its worker.
	Timeout time.Duration
}

// ExecutorSchemes are those that DialExecutor knows.
var ExecutorSchemes = []string{"grpc://", "grpcs://"}

// DialExecutor makes an executor of a URL. Nothing is sent yet; the error is about the URL or the options.
func DialExecutor(address string, o ExecutorOptions) (cache.Executor, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if u.Host == "" || u.Scheme != "grpc" && u.Scheme != "grpcs" {
		return nil, fmt.Errorf("want a URL that begins with %s", strings.Join(ExecutorSchemes, ", "))
	}
	x := &executor{timeout: o.Timeout, salt: []byte(o.Salt)}
	for _, p := range o.Platform {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("the property %q of the platform is not NAME=VALUE", p)
		}
		x.platform = append(x.platform, &repb.Platform_Property{Name: name, Value: value})
	}
	slices.SortFunc(x.platform, func(a, b *repb.Platform_Property) int {
		return slices.Compare([]string{a.Name, a.Value}, []string{b.Name, b.Value})
	})
	s, err := o.dial(u)
	if err != nil {
		return nil, err
	}
	x.grpcServer = s.(*grpcServer)
	x.exec = repb.NewExecutionClient(x.conn)
	return x, nil
}

// executor is the Execution service of a server, with the storage that inputs and outputs go through.
type executor struct {
	*grpcServer
	exec     repb.ExecutionClient
	platform []*repb.Platform_Property
	salt     []byte
	timeout  time.Duration
}

// uploadTimeout is that of an action's inputs, the program among them, and of what comes back.
const uploadTimeout = 5 * time.Minute

// executionFault sorts the errors of an execution: what a worker or a server may do better the next time is tried again.
func executionFault(err error) error {
	var known *cache.Fault
	if errors.As(err, &known) {
		known.Again = !known.Denied
		return known
	}
	code := status.Code(err)
	f := &cache.Fault{Err: err}
	switch code {
	case codes.Unauthenticated, codes.PermissionDenied, codes.Unimplemented:
		f.Denied = true
	case codes.NotFound:
		f.Err, f.Again = fmt.Errorf("the server does not have what it said or was sent: %w", err), true
	default:
		f.Again = code != codes.InvalidArgument
	}
	return f
}

// Execute uploads what the server lacks of an action, has it run, and takes back its output.
func (x *executor) Execute(ctx context.Context, a *cache.Action, fresh bool, stage func(cache.Stage)) (*cache.Ran, error) {
	digest, err := x.upload(ctx, a)
	if err != nil {
		return nil, executionFault(err)
	}
	result, err := x.run(ctx, &repb.ExecuteRequest{InstanceName: x.instance, ActionDigest: digest, SkipCacheLookup: fresh}, stage)
	if err != nil {
		return nil, executionFault(err)
	}
	ran, err := x.outputs(ctx, a.Output, result)
	if err != nil {
		return nil, executionFault(err)
	}
	return ran, nil
}

// upload sends the inputs that the server lacks, the command and the action.
func (x *executor) upload(ctx context.Context, a *cache.Action) (*repb.Digest, error) {
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	ctx, lim, err := x.begin(ctx)
	if err != nil {
		return nil, err
	}
	if !lim.exec {
		return nil, &cache.Fault{Err: errors.New("the server executes nothing: it has a cache alone"), Denied: true}
	}
	root, blobs := inputRoot(a.Inputs)
	// Either of two members says the platform, and what comes back, to servers of all versions.
	platform := &repb.Platform{Properties: x.platform}
	//lint:ignore SA1019 servers before version 2.2 know no other place
	command := message(&repb.Command{Arguments: a.Args, OutputPaths: []string{a.Output}, Platform: platform})
	action := message(&repb.Action{CommandDigest: command.digest, InputRootDigest: root.digest, Salt: x.salt, Timeout: durationpb.New(x.timeout), Platform: platform})
	return action.digest, x.sendMissing(ctx, append(blobs, root, command, action), lim)
}

// inputRoot makes the folders of files: the root's message, and all else that is below it.
func inputRoot(files []cache.File) (root blob, below []blob) {
	dirs := map[string]*repb.Directory{".": {}}
	var folder func(name string) *repb.Directory
	folder = func(name string) *repb.Directory {
		if dirs[name] == nil {
			dirs[name] = &repb.Directory{}
			folder(path.Dir(name))
		}
		return dirs[name]
	}
	for i := range files {
		f := &files[i]
		b := sumBlob(f)
		d := folder(path.Dir(f.Path))
		d.Files = append(d.Files, &repb.FileNode{Name: path.Base(f.Path), Digest: b.digest, IsExecutable: f.Executable})
		below = append(below, b)
	}
	names := make([]string, 0, len(dirs))
	for name := range dirs {
		names = append(names, name)
	}
	// The deepest first, as a folder's digest is part of the one above it; the root is the last.
	depth := func(name string) int { return strings.Count(name, "/") }
	slices.SortFunc(names, func(x, y string) int {
		switch {
		case x == "." || y == ".":
			return strings.Compare(y, x) // any name is after "."
		case depth(x) != depth(y):
			return depth(y) - depth(x)
		}
		return strings.Compare(x, y)
	})
	for _, name := range names {
		d := dirs[name]
		slices.SortFunc(d.Files, func(x, y *repb.FileNode) int { return strings.Compare(x.Name, y.Name) })
		b := message(d)
		if name == "." {
			return b, below
		}
		below = append(below, b)
		up := dirs[path.Dir(name)]
		up.Directories = append(up.Directories, &repb.DirectoryNode{Name: path.Base(name), Digest: b.digest}) // in the order of names
	}
	panic("no root")
}

// run has an action run and waits for its result. What is lost on the way is waited for once more by its name.
func (x *executor) run(ctx context.Context, req *repb.ExecuteRequest, stage func(cache.Stage)) (*repb.ActionResult, error) {
	// A worker is let be for the action's time and as long again for the queue; who says nothing for longer is gone.
	ctx, cancel := context.WithTimeout(ctx, 2*x.timeout)
	defer cancel()
	ctx, _, err := x.begin(ctx)
	if err != nil {
		return nil, err
	}
	stream, err := x.exec.Execute(ctx, req)
	var op *longrunningpb.Operation
	if err == nil {
		op, err = follow(stream, stage)
	}
	if name := op.GetName(); err != nil && name != "" && ctx.Err() == nil {
		var again grpc.ServerStreamingClient[longrunningpb.Operation]
		if again, err = x.exec.WaitExecution(ctx, &repb.WaitExecutionRequest{Name: name}); err == nil {
			op, err = follow(again, stage)
		}
		if status.Code(err) == codes.NotFound {
			err = &cache.Fault{Err: errors.New("the server does not know the operation any more"), Again: true}
		}
	}
	if err != nil {
		return nil, err
	}
	if e := op.GetError(); e != nil {
		return nil, status.FromProto(e).Err()
	}
	var resp repb.ExecuteResponse
	if err := op.GetResponse().UnmarshalTo(&resp); err != nil {
		return nil, &cache.Fault{Err: fmt.Errorf("the server answers an execution with something else: %w", err)}
	}
	if err := status.FromProto(resp.GetStatus()).Err(); err != nil {
		return nil, err
	}
	return resp.GetResult(), nil
}

// follow reads what becomes of an operation until it is done; without an error it is. With one, the operation is the last that was told.
func follow(stream interface {
	Recv() (*longrunningpb.Operation, error)
}, stage func(cache.Stage)) (last *longrunningpb.Operation, err error) {
	for {
		op, err := stream.Recv()
		if err == io.EOF {
			return last, status.Error(codes.Unavailable, "the server stopped telling of an operation that is not done")
		}
		if err != nil {
			return last, err
		}
		last = op
		if op.GetDone() {
			return op, nil
		}
		var m repb.ExecuteOperationMetadata
		if op.GetMetadata().UnmarshalTo(&m) == nil {
			if m.GetStage() == repb.ExecutionStage_EXECUTING {
				stage(cache.Running)
			} else {
				stage(cache.Queued)
			}
		}
	}
}

// maxText is how much of an action's standard error is told.
const maxText = 2000

// outputs takes back the files in the output folder.
func (x *executor) outputs(ctx context.Context, folder string, result *repb.ActionResult) (*cache.Ran, error) {
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	ctx, lim, err := x.begin(ctx)
	if err != nil {
		return nil, err
	}
	ran := &cache.Ran{Exit: result.GetExitCode()}
	if text, err := x.errors(ctx, result, lim); err == nil {
		ran.Errors = text
	}
	for _, d := range result.GetOutputDirectories() {
		if d.GetPath() != folder {
			continue
		}
		tree, err := x.readAll(ctx, []*repb.Digest{d.GetTreeDigest()}, lim)
		if err != nil {
			return nil, err
		}
		var t repb.Tree
		if err := proto.Unmarshal(tree[0], &t); err != nil {
			return nil, &cache.Fault{Err: fmt.Errorf("the output of an action is no folder: %w", err)}
		}
		nodes := t.GetRoot().GetFiles()
		digests := make([]*repb.Digest, len(nodes))
		for i, f := range nodes {
			digests[i] = f.GetDigest()
		}
		data, err := x.readAll(ctx, digests, lim)
		if err != nil {
			return nil, err
		}
		for i, f := range nodes {
			ran.Files = append(ran.Files, cache.File{Path: f.GetName(), Data: data[i]})
		}
	}
	return ran, nil
}

// errors is the end of what an action wrote to its standard error.
func (x *executor) errors(ctx context.Context, result *repb.ActionResult, lim *limits) (string, error) {
	raw := result.GetStderrRaw()
	if d := result.GetStderrDigest(); len(raw) == 0 && d.GetSizeBytes() > 0 {
		data, err := x.readAll(ctx, []*repb.Digest{d}, lim)
		if err != nil {
			return "", err
		}
		raw = data[0]
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(raw[max(0, len(raw)-maxText):])), "?"), nil
}

// validDigest reports whether a digest that a server sent may be one.
func validDigest(d *repb.Digest) bool {
	return d != nil && d.SizeBytes >= 0 && d.SizeBytes <= maxBlob && len(d.Hash) == 64
}

// readAll reads blobs, in their order: small ones together, large ones each. Each is what its digest says.
func (s *grpcServer) readAll(ctx context.Context, list []*repb.Digest, lim *limits) ([][]byte, error) {
	data := make([][]byte, len(list))
	at := map[string]int{}
	var batch []*repb.Digest
	size := int64(0)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		got, err := s.readTogether(ctx, batch)
		for i, d := range batch {
			if err == nil {
				err = got[i].err
			}
			if err == nil {
				data[at[d.Hash]] = got[i].data
			}
		}
		batch, size = nil, 0
		return err
	}
	for i, d := range list {
		if !validDigest(d) {
			return nil, &cache.Fault{Err: errors.New("the server tells of a blob without digest")}
		}
		if _, twice := at[d.Hash]; twice {
			continue
		}
		at[d.Hash] = i
		if n := d.SizeBytes + eachBlob; n > lim.batch {
			var err error
			if data[i], err = s.read(ctx, d, lim.zstd); err != nil {
				return nil, err
			}
			continue
		} else if size+n > lim.batch || len(batch) == maxBatch {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		batch = append(batch, d)
		size += d.SizeBytes + eachBlob
	}
	if err := flush(); err != nil {
		return nil, err
	}
	for i, d := range list {
		data[i] = data[at[d.Hash]]
		if err := check(d, data[i]); err != nil {
			return nil, err
		}
	}
	return data, nil
}
