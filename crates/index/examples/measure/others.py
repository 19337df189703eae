"""Builds or queries ChromaDB and LanceDB with the vectors of the measuring program. Prints one line of JSON.

Usage: others.py chroma|lance build|query FOLDER
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

DIMS, BATCH, SINGLE = 384, 5000, 30


def main():
    store, action, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    home = folder / store
    used = {("chroma", "build"): chroma_build, ("chroma", "query"): chroma_query,
            ("lance", "build"): lance_build, ("lance", "query"): lance_query}
    print(json.dumps(used[store, action](folder, home)))


def numbers(folder, name):
    return np.fromfile(folder / name, dtype="<f4").reshape(-1, DIMS)


def tag(row):
    return "rare" if row % 100 == 0 else "usual"


def built(started, vectors, single):
    seconds = time.perf_counter() - started
    took = []
    for row in range(SINGLE):
        begun = time.perf_counter()
        single(row)
        took.append(time.perf_counter() - begun)
    return {"inserts_per_s": len(vectors) / seconds, "append_ms": 1000 * float(np.median(took))}


def asked(folder, opened_ms, ask):
    queries, truths = numbers(folder, "queries"), json.loads((folder / "truth.json").read_text())
    told = {"open_ms": opened_ms}
    for name, is_filtered in (("plain", False), ("filtered", True)):
        took, hits, wanted, cpu = [], 0, 0, time.process_time()
        for query, truth in zip(queries, truths[name]):
            begun = time.perf_counter()
            found = ask(query, is_filtered)
            took.append(1000 * (time.perf_counter() - begun))
            hits += len(set(truth) & set(found))
            wanted += len(truth)
        told[name] = {"p50_ms": float(np.percentile(took, 50)), "p99_ms": float(np.percentile(took, 99)),
                      "cpu_ms": 1000 * (time.process_time() - cpu) / len(took), "recall": hits / wanted}
    told["memory_mb"] = memory()
    return told


def memory():
    status = Path("/proc/self/status")
    if status.exists():
        line = next(it for it in status.read_text().splitlines() if it.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def chroma_client(home):
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(str(home), Settings(anonymized_telemetry=False))


def chroma_build(folder, home):
    vectors = numbers(folder, "vectors")
    shelf = chroma_client(home).create_collection("entries", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    started = time.perf_counter()
    for start in range(0, len(vectors), BATCH):
        rows = range(start, min(start + BATCH, len(vectors)))
        shelf.add(ids=[str(row) for row in rows], embeddings=vectors[start : start + BATCH],
                  metadatas=[{"tag": tag(row)} for row in rows], documents=[f"vector {row}" for row in rows])
    single = lambda row: shelf.add(ids=[f"x{row}"], embeddings=-vectors[row : row + 1],
                                   metadatas=[{"tag": "none"}], documents=["x"])
    return built(started, vectors, single)


def chroma_query(folder, home):
    queries, before = numbers(folder, "queries"), memory()
    begun = time.perf_counter()
    shelf = chroma_client(home).get_collection("entries", embedding_function=None)

    def ask(query, is_filtered):
        where = {"tag": "rare"} if is_filtered else None
        found = shelf.query(query_embeddings=query[None], n_results=10, where=where, include=["metadatas", "documents"])
        return [int(it) for it in found["ids"][0] if it.isdigit()]

    ask(queries[0], False)
    return asked(folder, 1000 * (time.perf_counter() - begun), ask)


def lance_build(folder, home):
    import lancedb
    import pyarrow as pa

    vectors = numbers(folder, "vectors")
    schema = pa.schema([("id", pa.int64()), ("tag", pa.string()), ("text", pa.string()), ("vector", pa.list_(pa.float32(), DIMS))])
    table = lancedb.connect(str(home)).create_table("it", schema=schema)

    def rows(ids, part, tags):
        column = pa.FixedSizeListArray.from_arrays(pa.array(part.ravel()), DIMS)
        return pa.table([pa.array(ids, pa.int64()), pa.array(tags), pa.array([f"vector {it}" for it in ids]), column], schema=schema)

    started = time.perf_counter()
    for start in range(0, len(vectors), BATCH):
        part = vectors[start : start + BATCH]
        ids = list(range(start, start + len(part)))
        table.add(rows(ids, part, [tag(it) for it in ids]))
    return built(started, vectors, lambda row: table.add(rows([-1 - row], -vectors[row : row + 1], ["none"])))


def lance_query(folder, home):
    import lancedb

    queries = numbers(folder, "queries")
    begun = time.perf_counter()
    table = lancedb.connect(str(home)).open_table("it")

    def ask(query, is_filtered):
        search = table.search(query).distance_type("cosine").limit(10)
        if is_filtered:
            search = search.where("tag = 'rare'", prefilter=True)
        return [it["id"] for it in search.select(["id", "tag", "text", "_distance"]).to_list()]

    ask(queries[0], False)
    return asked(folder, 1000 * (time.perf_counter() - begun), ask)


main()
