package remotetest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// pack is a message in an envelope.
func pack(m proto.Message) *anypb.Any {
	a, err := anypb.New(m)
	if err != nil {
		panic(err)
	}
	return a
}

// Execute runs an action, or sends the result that it had.
func (s *Server) Execute(r *repb.ExecuteRequest, out repb.Execution_ExecuteServer) error {
	if s.Run == nil {
		return status.Error(codes.Unimplemented, "no execution here")
	}
	s.Lock()
	known := s.results[r.ActionDigest.Hash]
	op := &operation{name: "operations/" + strconv.Itoa(len(s.ops)), done: make(chan struct{}), started: make(chan struct{})}
	s.ops[op.name] = op
	s.Unlock()
	if known != nil && !r.SkipCacheLookup {
		return out.Send(&longrunningpb.Operation{Name: op.name, Done: true, Result: &longrunningpb.Operation_Response{Response: pack(&repb.ExecuteResponse{Result: known, CachedResult: true})}})
	}
	go s.work(op, r.ActionDigest)
	return s.follow(op, out)
}

// WaitExecution tells of an operation that runs.
func (s *Server) WaitExecution(r *repb.WaitExecutionRequest, out repb.Execution_WaitExecutionServer) error {
	s.Lock()
	op := s.ops[r.Name]
	s.Unlock()
	if op == nil {
		return status.Error(codes.NotFound, "no such operation")
	}
	return s.follow(op, out)
}

// follow tells that the operation waits, runs, is done.
func (s *Server) follow(op *operation, out interface {
	Send(*longrunningpb.Operation) error
	Context() context.Context
}) error {
	stage := func(v repb.ExecutionStage_Value) error {
		return out.Send(&longrunningpb.Operation{Name: op.name, Metadata: pack(&repb.ExecuteOperationMetadata{Stage: v})})
	}
	if err := stage(repb.ExecutionStage_QUEUED); err != nil {
		return err
	}
	<-op.started
	if err := stage(repb.ExecutionStage_EXECUTING); err != nil {
		return err
	}
	if err := s.before(out.Context(), "Executing"); err != nil {
		return err
	}
	select {
	case <-op.done:
		return out.Send(op.last)
	case <-out.Context().Done():
		return status.Error(codes.Unavailable, "stopped")
	}
}

// work runs an action to its end, whoever listens.
func (s *Server) work(op *operation, action *repb.Digest) {
	close(op.started)
	defer close(op.done)
	resp := &repb.ExecuteResponse{}
	result, err := s.run(action)
	if err == nil {
		resp.Result = result
		if result.ExitCode == 0 {
			s.Lock()
			s.results[action.Hash] = result
			s.Unlock()
		}
	}
	resp.Status = status.Convert(err).Proto()
	op.last = &longrunningpb.Operation{Name: op.name, Done: true, Result: &longrunningpb.Operation_Response{Response: pack(resp)}}
}

// run lays out an action's inputs, runs its command, and keeps what is in its output folder.
func (s *Server) run(digest *repb.Digest) (*repb.ActionResult, error) {
	var a repb.Action
	var c repb.Command
	if err := s.message(digest, &a); err != nil {
		return nil, err
	}
	if err := s.message(a.CommandDigest, &c); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "nirc-action")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := s.layOut(dir, a.InputRootDigest); err != nil {
		return nil, err
	}
	s.Lock()
	s.Ran++
	s.Salt, s.Properties = string(a.Salt), nil
	for _, p := range a.Platform.GetProperties() {
		s.Properties = append(s.Properties, p.Name+"="+p.Value)
	}
	s.Unlock()
	ctx := context.Background()
	if d := a.Timeout.AsDuration(); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	exit, text := s.Run(ctx, dir, c.Arguments)
	if ctx.Err() != nil {
		return nil, status.Error(codes.DeadlineExceeded, "the action took too long")
	}
	result := &repb.ActionResult{ExitCode: exit, StderrRaw: []byte(text)}
	for _, path := range c.OutputPaths {
		entries, err := os.ReadDir(filepath.Join(dir, path))
		if err != nil {
			continue // an action need not make its outputs
		}
		tree := &repb.Tree{Root: &repb.Directory{}}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(dir, path, e.Name()))
			if err != nil {
				return nil, err
			}
			tree.Root.Files = append(tree.Root.Files, &repb.FileNode{Name: e.Name(), Digest: s.put(data)})
		}
		text, err := proto.Marshal(tree)
		if err != nil {
			return nil, err
		}
		result.OutputDirectories = append(result.OutputDirectories, &repb.OutputDirectory{Path: path, TreeDigest: s.put(text)})
	}
	return result, nil
}

// layOut writes a folder's files, which must be sorted as the interface wants it.
func (s *Server) layOut(dir string, digest *repb.Digest) error {
	var d repb.Directory
	if err := s.message(digest, &d); err != nil {
		return err
	}
	if !slices.IsSortedFunc(d.Files, func(a, b *repb.FileNode) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) }) ||
		!slices.IsSortedFunc(d.Directories, func(a, b *repb.DirectoryNode) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) }) {
		return status.Error(codes.InvalidArgument, "a folder is not in the order of names")
	}
	for _, f := range d.Files {
		s.Lock()
		data, ok := s.blobs[f.Digest.Hash]
		s.Unlock()
		if !ok && f.Digest.SizeBytes > 0 {
			return status.Errorf(codes.FailedPrecondition, "missing %s", f.Name)
		}
		mode := os.FileMode(0o666)
		if f.IsExecutable {
			mode = 0o777
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), data, mode); err != nil {
			return err
		}
	}
	for _, sub := range d.Directories {
		if err := os.Mkdir(filepath.Join(dir, sub.Name), 0o777); err != nil {
			return err
		}
		if err := s.layOut(filepath.Join(dir, sub.Name), sub.Digest); err != nil {
			return err
		}
	}
	return nil
}
