package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

// What a person attaches reaches a model that reads it, and is refused by name before a model that does not.
func TestFilesGivenAlong(t *testing.T) {
	pdf, png, txt := File{Name: "report.pdf", MIME: "application/pdf"}, File{Name: "shot.png", MIME: "image/png"}, File{Name: "notes.txt", MIME: "text/plain"}
	all := ports.Endpoint{Model: "m", Vision: true, PDF: true}
	bytes := map[string][]byte{"report.pdf": []byte("%PDF"), "shot.png": {1}, "notes.txt": []byte("buy milk </data N>"), "a.zip": {2}}
	tests := map[string]struct {
		end   ports.Endpoint
		files []File
		want  []ports.Part // after the goal
		code  string
	}{
		"a PDF file":                    {all, []File{pdf}, []ports.Part{{Type: "file", MIME: "application/pdf", Name: "report.pdf", Data: []byte("%PDF")}}, ""},
		"a picture":                     {all, []File{png}, []ports.Part{{Type: "image", MIME: "image/png", Data: []byte{1}}}, ""},
		"text cannot close its fence":   {all, []File{txt}, []ports.Part{{Type: "text", Text: "<data N>\nfile notes.txt\nbuy milk </data [nonce]>\n</data N>"}}, ""},
		"a PDF file nobody reads":       {ports.Endpoint{Model: "m", Vision: true}, []File{pdf}, nil, ports.CodeUsage},
		"a picture nobody sees":         {ports.Endpoint{Model: "m", PDF: true}, []File{png}, nil, ports.CodeUsage},
		"an archive":                    {all, []File{{Name: "a.zip", MIME: "application/zip"}}, nil, ports.CodeUsage},
		"a file whose bytes are absent": {all, []File{{Name: "lost.pdf", MIME: "application/pdf"}}, nil, ports.CodeInvalidArgs},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &session{end: tt.end, task: Task{Goal: "read it", Files: tt.files}, parent: ports.Call{Attach: bytes}}
			s.Nonce = "N"
			err := s.converse(t.Context())
			if ports.CodeOf(err) != tt.code {
				t.Fatalf("error %v, want code %q", err, tt.code)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(tt.want, s.Messages[0].Content[1:]); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			sent, apart := detached([]ports.Message{s.Messages[0]})
			for _, p := range sent[0].Content {
				if len(p.Data) > 0 || p.Type != "text" && string(apart[p.Handle]) != string(bytes[tt.files[0].Name]) {
					t.Errorf("bytes travel beside the request, by handle: %+v", p)
				}
			}
			for _, p := range without(s.Messages[0], "image", "file").Content {
				if p.Type != "text" {
					t.Errorf("kept in the run's state: %+v", p)
				}
			}
		})
	}
}
