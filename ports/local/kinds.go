package local

import "strings"

// models asks a server for its models in the words of a kind of program; false if it is not that program.
func (a asker) models(kind string) ([]Model, bool) {
	switch kind {
	case KindOllama:
		return ollama(a)
	case KindLMStudio:
		return lmStudio(a)
	case KindLlamaCPP:
		return llamaCPP(a)
	case KindVLLM:
		return vLLM(a)
	case KindJan:
		return openAI(a) // it has no word of its own: its port is all that tells it from others
	}
	return nil, false
}

// ollama: https://github.com/ollama/ollama/blob/main/docs/api.md
func ollama(a asker) ([]Model, bool) {
	var v struct {
		Version string `json:"version"`
	}
	var tags struct {
		Models *[]struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if !a.get("/api/version", &v) || v.Version == "" || !a.get("/api/tags", &tags) || tags.Models == nil {
		return nil, false
	}
	var loaded struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	_ = a.get("/api/ps", &loaded) // older ones do not say
	window := map[string]int{}
	for _, m := range loaded.Models {
		window[m.Name] = m.Context
	}
	var out []Model
	for _, m := range *tags.Models {
		out = append(out, Model{ID: m.Name, Context: window[m.Name]})
	}
	return out, true
}

// lmStudio: https://lmstudio.ai/docs/developer/rest
func lmStudio(a asker) ([]Model, bool) {
	var v struct {
		Data *[]struct {
			ID     string `json:"id"`
			Type   string `json:"type"`
			State  string `json:"state"`
			Max    int    `json:"max_context_length"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	if !a.get("/api/v0/models", &v) || v.Data == nil {
		return nil, false
	}
	var out []Model
	for _, m := range *v.Data {
		if m.Type != "llm" && m.Type != "vlm" {
			continue // embeddings answer no questions
		}
		out = append(out, Model{ID: m.ID, Context: m.Loaded, Vision: m.Type == "vlm"})
	}
	return out, true
}

// llamaCPP: https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
func llamaCPP(a asker) ([]Model, bool) {
	var v struct {
		Defaults *struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities struct {
			Vision bool `json:"vision"`
		} `json:"modalities"`
	}
	if !a.get("/props", &v) || v.Defaults == nil {
		return nil, false
	}
	list, ok := openAI(a)
	for i := range list {
		list[i].Context, list[i].Vision = v.Defaults.Context, v.Modalities.Vision
	}
	return list, ok
}

// vLLM: https://docs.vllm.ai/en/latest/serving/openai_compatible_server/
func vLLM(a asker) ([]Model, bool) {
	var v struct {
		Version string `json:"version"`
	}
	if !a.get("/version", &v) || v.Version == "" {
		return nil, false
	}
	return openAI(a)
}

// openAI lists models: https://platform.openai.com/docs/api-reference/models/list. vLLM adds max_model_len.
func openAI(a asker) ([]Model, bool) {
	var v struct {
		Object string `json:"object"`
		Data   *[]struct {
			ID     string `json:"id"`
			Object string `json:"object"`
			Max    int    `json:"max_model_len"`
		} `json:"data"`
	}
	if !a.get("/v1/models", &v) || v.Object != "list" || v.Data == nil {
		return nil, false
	}
	var out []Model
	for _, m := range *v.Data {
		if strings.TrimSpace(m.ID) == "" {
			return nil, false
		}
		out = append(out, Model{ID: m.ID, Context: m.Max})
	}
	return out, true
}
